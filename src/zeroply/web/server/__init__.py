"""The server of the web page.

It keeps no games: a browser sends the game, the set-up and the moves with every question, and gets an answer. What
takes time is done by a few threads beside the event loop, so that a click is answered while they search.
"""
