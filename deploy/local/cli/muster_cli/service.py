"""`service kill|pause|start`: what happens to the control plane's own processes: services, broker, database."""

import signal
import time

from muster_cli import processes
from muster_cli.failure import Failure
from muster_cli.layout import is_alive

NAMES = ("gateway", "job", "quota", "scheduler", "health", "checkpoint", "kafka", "postgresql")
RESTART_SECONDS = 5
START_SECONDS = 120.0


class Service:
    """A part of a running system that is a process of its own, with the processes that it started."""

    def __init__(self, home, name):
        self.home, self.name = home, name
        system = home.require_running()
        self.part = system["parts"].get(name)
        if self.part is None or self.part["pid"] == system["pid"]:
            raise Failure(f"{name} is no process of its own in the system of {home.path}; start one in which it is: ./muster up --processes")
        # while it is there the running system does not start the part again (io.muster.local.KeptDown)
        self.mark = home.path / "kept-down" / name

    def family(self):
        """Itself and its children; Failure if it is dead."""
        if not is_alive(self.part):
            how = "is kept down" if self.mark.exists() else f"is dead and will be started again within about {RESTART_SECONDS} s"
            raise Failure(f"{self.name} {how}; start it now with: ./muster service start {self.name}")
        return processes.with_children(self.part["pid"])


def kill(home, names, stay_down=False, say=print):
    """SIGKILL at one time; the running system starts them again after some seconds, unless they shall stay down."""
    services = [Service(home, name) for name in dict.fromkeys(names)]
    families = {service.name: service.family() for service in services}
    for service in services:
        if stay_down:
            service.mark.parent.mkdir(exist_ok=True)
            service.mark.write_text("")
    for family in families.values():
        for pid in family:
            processes.send(pid, signal.SIGKILL)
    for service in services:
        again = f"it stays down until: ./muster service start {service.name}" if stay_down else f"it is started again after {RESTART_SECONDS} s"
        say(f"{service.name}: killed (pid {service.part['pid']}, {len(families[service.name])} processes); {again}")
    return 0


def pause(home, names, say=print):
    """SIGSTOP: it neither answers nor notices how the time goes by."""
    services = [Service(home, name) for name in dict.fromkeys(names)]
    families = {service.name: service.family() for service in services}
    for service in services:
        if processes.is_stopped(service.part["pid"]):
            raise Failure(f"{service.name} is paused already (pid {service.part['pid']}); let it go on with: ./muster service start {service.name}")
    for service in services:
        for pid in families[service.name]:
            processes.send(pid, signal.SIGSTOP)
        say(f"{service.name}: paused (pid {service.part['pid']}); let it go on with: ./muster service start {service.name}")
    return 0


def start(home, names, say=print):
    """Lets paused ones go on, starts those that are down, and waits until each runs."""
    services = [Service(home, name) for name in dict.fromkeys(names)]
    for service in services:
        service.mark.unlink(missing_ok=True)
        if is_alive(service.part):
            if not processes.is_stopped(service.part["pid"]):
                say(f"{service.name}: runs already (pid {service.part['pid']})")
                continue
            for pid in service.family():
                processes.send(pid, signal.SIGCONT)
            say(f"{service.name}: goes on (pid {service.part['pid']})")
        else:
            say(f"{service.name}: started (pid {wait_started(home, service)}); it answers after some seconds more")
    return 0


def wait_started(home, service):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        part = home.require_running()["parts"][service.name]
        if part["pid"] != service.part["pid"] and is_alive(part):
            return part["pid"]
        time.sleep(0.05)
    raise Failure(f"the system did not start {service.name} within {START_SECONDS:.0f} s; see {home.system_log} and {home.log_folder / f'{service.name}.log'}")
