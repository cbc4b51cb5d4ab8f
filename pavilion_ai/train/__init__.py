"""Training of the evaluation networks: stored games, samples, the learner, whole numbers.

`shards` keeps the games of self-play in files, `samples` turns them into arrays, `model` fits a
network to those (it needs the extra `train`), `quantise` writes it down in whole numbers.
"""
