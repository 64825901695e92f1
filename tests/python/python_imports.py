# SPDX-License-Identifier: Apache-2.0
"""Which files of a Python package import which, inside functions as well."""

import ast


def modules_of(package):
    """The files of a package by the names of their modules."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def _imported(node, package, modules):
    """The names of modules that an import statement in a file of a package names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    base = [node.module] if node.module else []
    if node.level:
        base = package.split(".")[: len(package.split(".")) - node.level + 1] + base
    base = ".".join(base)
    inside = {f"{base}.{alias.name}" for alias in node.names}
    return (inside & set(modules)) | ({base} if inside - set(modules) else set())


def imports_of(package):
    """A dict from each module of a package to the modules of it that it imports."""
    modules, graph = modules_of(package), {}
    for name, path in modules.items():
        within = name if path.name == "__init__.py" else name.rpartition(".")[0]
        graph[name] = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                graph[name] |= _imported(node, within, modules) & set(modules) - {name}
    return graph


def circle_in(graph):
    """A list of modules each of which imports the next, and the last the first, or None."""
    done, path = set(), []

    def visit(module):
        if module in path:
            return path[path.index(module) :]
        if module in done:
            return None
        path.append(module)
        for each in sorted(graph[module]):
            if circle := visit(each):
                return circle
        done.add(path.pop())
        return None

    return next(filter(None, map(visit, sorted(graph))), None)
