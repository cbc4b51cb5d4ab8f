"""Tests of the search core, the agents and the benchmark command."""
