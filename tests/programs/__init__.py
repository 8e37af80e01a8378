"""Programs as users write them; `tests/benchmarks/bench_calls.py` runs them at their full size.

Each takes the library as an argument, so that the same lines run in PyTensor.
"""
