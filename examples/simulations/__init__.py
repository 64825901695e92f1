# SPDX-License-Identifier: Apache-2.0
"""What the demonstrations of fields and kernels compute. Each kernel is made by a function of the
module that is to compile it, joggle.fields or quadrants, so that both run the same source."""
