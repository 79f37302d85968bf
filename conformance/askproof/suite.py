"""The cases as tests: `pytest --pyargs askproof.suite --askproof ADAPTER`.

The tests are collected by `askproof.pytest_plugin`, whatever the names of tests are where it runs.
"""
