"""Training of the evaluation networks: games, samples, the learner, whole numbers, runs.

`shards` keeps the games of self-play in files, `samples` turns them into arrays, `window` keeps
those of the latest games; `model` fits a network to them (it needs the extra `train`) by the
gradients of `losses`, and `quantise` writes it down in whole numbers. `recipe` says what a run
does, `folder` what it leaves behind, `play` and `gate` are its games, `loop` is the run.
"""
