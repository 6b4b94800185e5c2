"""The web page: play, look inside players, watch runs, read studies; `zeroply web` serves it on localhost."""
