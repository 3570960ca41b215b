"""How Slipstream becomes an application bundle: what goes in, what describes it, what is checked before it is shipped.

Plain functions of the standard library, so that they are tested on any machine. ``packaging/slipstream.spec`` and the
two build scripts call them. The folder ``packaging`` has to be on Python's path.
"""
