"""Passes over loops: what moves out of a step, what is dropped, and which loops become one."""
