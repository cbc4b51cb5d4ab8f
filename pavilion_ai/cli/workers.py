"""`--jobs` and `--cluster`: where the games of matches, tournaments and training are played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pavilion_ai.cli.options import jobs_option, processes, tell_unused

if TYPE_CHECKING:
    from pavilion_ai.workers import Workers

F = TypeVar("F", bound=Callable[..., Any])


def worker_options(command: F) -> F:
    """Add `--jobs` and `--cluster`."""
    for option in (
        click.option("--cluster", metavar="ADDRESS",
                     help="Play on a dask cluster: ADDRESS of its scheduler, or `local`."),
        jobs_option,
    ):
        command = option(command)
    return command


def check_cluster(address: str | None) -> None:
    """Refuse a `--cluster` that cannot be the address of a scheduler."""
    if address is not None:
        from pavilion_ai.workers.cluster import check_address

        check_address(address)


def plays_here(cluster: str | None) -> bool:
    """Tell whether games are played on this machine; other clusters have workers of their own."""
    from pavilion_ai.workers.cluster import LOCAL

    return cluster in (None, LOCAL)


@contextmanager
def workers_of(jobs: int | None, cluster: str | None, default: int | None = None
               ) -> Iterator[Workers]:
    """Start the workers that the options ask for.

    Args:
        default: processes here without `--jobs`; None for one for each processor.
    """
    here = plays_here(cluster)
    if not here:
        tell_unused(f"the workers of --cluster {cluster}", ("--jobs", jobs))
    number = processes(jobs if here else None, default)
    if cluster is None:
        from pavilion_ai.workers.local import LocalWorkers

        with LocalWorkers(number) as local:
            yield local
        return
    from pavilion_ai.workers.cluster import ClusterWorkers

    with ClusterWorkers(cluster, number) as there:
        yield there
