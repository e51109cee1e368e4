"""What a checkpoint holds besides the state that the training code hands over: generators, data and log position."""

import random
import sys


def generator_states():
    """The states of the process's random generators as JSON: Python's, and NumPy's and PyTorch's if they are in use."""
    version, internal, gauss = random.getstate()
    states = {"python": [version, list(internal), gauss]}
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        name, keys, position, has_gauss, cached = numpy.random.get_state(legacy=True)
        states["numpy"] = [name, [int(key) for key in keys], int(position), int(has_gauss), float(cached)]
    torch = sys.modules.get("torch")
    if torch is not None:
        states["torch"] = torch.get_rng_state().tolist()
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            states["cuda"] = [state.tolist() for state in torch.cuda.get_rng_state_all()]
    return states


def set_generator_states(states):
    """Puts the generators back; one that was saved but is not in use here is left out."""
    if "python" in states:
        version, internal, gauss = states["python"]
        random.setstate((version, tuple(internal), gauss))
    numpy = sys.modules.get("numpy")
    if numpy is not None and "numpy" in states:
        name, keys, position, has_gauss, cached = states["numpy"]
        numpy.random.set_state((name, numpy.array(keys, dtype=numpy.uint32), position, has_gauss, cached))
    torch = sys.modules.get("torch")
    if torch is not None and "torch" in states:
        torch.set_rng_state(torch.tensor(states["torch"], dtype=torch.uint8))
        if "cuda" in states and torch.cuda.is_available():
            torch.cuda.set_rng_state_all([torch.tensor(state, dtype=torch.uint8) for state in states["cuda"]])
