"""A slow, literal transcription of RULES.md, written without sight of the package's own rules."""
