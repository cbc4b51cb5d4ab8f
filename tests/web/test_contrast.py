"""Contrast AA in a real browser: the page's texts, and the texts and shapes of the drawing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from pavilion_ai.render.dark import DARK
from tests.cli.support import AZUL_DRAFT, AZUL_WALL, DRAFTING, FOUR, PLACING
from tests.web.browser import Browser, needs_browser
from tests.web.pages import settled, show, train
from tests.web.support import Server

needs_browser()

LIGHT = """
const parse = text => (text.match(/[0-9.]+/g) ?? []).map(Number);
const light = colour => colour.slice(0, 3).map(c => c / 255)
  .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (one, other) => {
  const [a, b] = [one, other].map(light).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
};
const faint = [];
"""
OF_PAGE = LIGHT + """
const behind = e => {
  for (; e; e = e.parentElement) {
    const colour = parse(getComputedStyle(e).backgroundColor);
    if (colour.length === 3 || colour[3] > 0.99) return colour;
  }
  return [255, 255, 255];
};
for (const e of document.querySelectorAll("header *, main *:not(svg *), dialog *")) {
  const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!own || e.closest("svg, :disabled, .unseen") || !e.checkVisibility()) continue;
  if (contrast(parse(getComputedStyle(e).color), behind(e)) < 4.5) {
    faint.push(e.outerHTML.slice(0, 120));
  }
}
return faint;
"""
"""Elements whose text has less than 4.5 against their ground."""
OF_DRAWING = LIGHT + """
const svg = document.querySelector("#table svg");
const looks = [...svg.querySelectorAll("rect, circle, path, polygon, polyline, line, text")]
  .filter(e => e.getBoundingClientRect().width + e.getBoundingClientRect().height).map(e => {
    const style = getComputedStyle(e);
    let opacity = 1;
    for (let at = e; at !== svg; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
    const paint = name => style[name] === "none" ? null
      : { colour: parse(style[name]), share: opacity * style[`${name}Opacity`] };
    return { e, fill: paint("fill"), stroke: paint("stroke"), box: e.getBoundingClientRect(),
      toOwn: e.getScreenCTM().inverse() };
  });
const over = ({ colour, share }, ground) =>
  colour.map((c, i) => c * share + ground[i] * (1 - share));
const under = (mine, x, y) => {
  let ground = [255, 255, 255];
  for (const { e, fill, box, toOwn } of looks) {
    if (e === mine) break;
    if (!fill || e.tagName === "text" || x < box.left || x > box.right || y < box.top
      || y > box.bottom) continue;
    if (e.isPointInFill(new DOMPoint(x, y).matrixTransform(toOwn))) ground = over(fill, ground);
  }
  return ground;
};
const ornament = e => e.matches(
  "svg > rect, .market > rect:first-of-type, .seat > rect:first-of-type, .tile > rect[fill=none], "
  + "[pointer-events]");
for (const { e, fill, stroke, box } of looks) {
  if (ornament(e)) continue;
  const ground = under(e, box.left + box.width / 2, box.top + box.height / 2);
  const found = Math.max(...[fill, stroke].map(
    one => one ? contrast(over(one, ground), ground) : 0));
  if (found < (e.tagName === "text" ? 4.5 : 3)) faint.push(`${found} ${e.outerHTML.slice(0, 150)}`);
}
return [faint, looks.length];
"""
"""What has less than 4.5 (texts) or 3 (shapes, by fill or outline) against what lies below it; not
the frames of table and seats, nor the lines within tiles, which say nothing, nor what is only there
to be clicked."""


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest, browser: Browser) -> Iterator[str]:
    """Show light and dark."""
    browser.scheme(request.param)
    yield request.param
    browser.scheme("light")


@pytest.mark.usefixtures("scheme")
def test_texts_of_the_page_stand_out(browser: Browser, server: Server) -> None:
    show(browser, server, PLACING)
    settled(browser)
    browser.wait(lambda: browser.all("#outlook tbody tr"))
    assert browser.script(OF_PAGE) == []
    train(browser, server)
    browser.click("#solution")
    browser.wait(lambda: "Tempting:" in browser.text("#train-told"))
    assert browser.script(OF_PAGE) == []
    browser.click("#edit")
    browser.wait(lambda: browser.all("#editor fieldset"))
    assert browser.script(OF_PAGE) == []


@pytest.mark.usefixtures("scheme")
@pytest.mark.parametrize("path", [DRAFTING, PLACING, FOUR, AZUL_DRAFT, AZUL_WALL],
                         ids=lambda path: path.stem)
def test_texts_and_shapes_of_the_drawing_stand_out(
    browser: Browser, server: Server, path: Path
) -> None:
    show(browser, server, path)
    settled(browser)
    faint, looked_at = browser.script(OF_DRAWING)
    assert faint == []
    assert looked_at > 300


def test_a_drawing_is_dark_on_dark_screens_only(browser: Browser, server: Server) -> None:
    """At once: paper does not wait until it is drawn anew."""
    show(browser, server, PLACING)
    settled(browser)
    look = "return getComputedStyle(document.querySelector('#table svg > rect')).fill"
    try:
        for scheme, media, dark in (("dark", "", True), ("dark", "print", False),
                                    ("light", "", False)):
            browser.scheme(scheme, media)
            assert browser.script(look) == (
                "rgb(32, 32, 40)" if dark else "rgb(254, 254, 254)"), (scheme, media)
    finally:
        browser.scheme("light")
    style = (resources.files("pavilion_ai.web") / "static" / "dark.css").read_text()
    for paint in ("fill", "stroke"):  # each as in a picture made with --dark
        rules = re.findall(rf'svg \[{paint}="(#\w+)"\] {{ {paint}: (#\w+); }}', style)
        assert dict(rules) == DARK
