"""The one way in which a command fails: a line that says what is wrong, with values, and what to do."""


class Failure(Exception):
    """Printed as one line `muster: …`; the exit code is 1 unless another is given."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code
