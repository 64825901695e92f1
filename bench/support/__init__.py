# SPDX-License-Identifier: Apache-2.0
"""What the claims share: the peers, the clock, the report. Imports no peer by itself."""
