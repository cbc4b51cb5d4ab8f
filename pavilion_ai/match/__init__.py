"""Matches and tournaments: schedule, play, record, count."""
