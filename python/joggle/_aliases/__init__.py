# SPDX-License-Identifier: Apache-2.0
"""Packages of joggle under the names of others, for programs that were written for those: `install`
has the table, `run` runs a program, `site` reaches the processes that it starts."""
