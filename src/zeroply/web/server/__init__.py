"""The server of the web page.

It stores no games: a browser sends the game, the starting position and the moves with every request. Searches run in a
few threads beside the event loop, so that a click is answered while they search.
"""
