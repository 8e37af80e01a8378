"""Graphs as pictures: what is drawn, where it stands, and how it is written."""
