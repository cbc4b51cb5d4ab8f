"""What is imported where the compiled core (_core.pyx) is missing: it says so."""

raise ImportError(
    "the compiled core is missing: in a checkout run `pip install -e .` first; an installed package"
    " is used from any other folder", name=__name__)
