package io.muster.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * A process: what it has planned is forgotten when it dies, and its next life begins with what its service kept on disk.
 * A paused one (SIGSTOP) does what was due when it goes on.
 */
public final class Life {

    private final Kernel kernel;
    private final String name;
    private final Runnable boot;
    private final List<Runnable> atDeath = new ArrayList<>();
    private boolean up;
    private int number;
    private long pausedUntil;

    public Life(Kernel kernel, String name, Runnable boot) {
        this.kernel = kernel;
        this.name = name;
        this.boot = boot;
    }

    public String name() {
        return name;
    }

    public boolean up() {
        return up;
    }

    public int number() {
        return number;
    }

    public Kernel kernel() {
        return kernel;
    }

    public boolean awake() {
        return up && kernel.millis() >= pausedUntil;
    }

    public void pause(long millis) {
        pausedUntil = kernel.millis() + millis;
    }

    public void resume() {
        pausedUntil = kernel.millis();
    }

    public void start() {
        if (!up) {
            up = true;
            number++;
            pausedUntil = 0;
            kernel.tell(name + " starts");
            guarded(boot);
        }
    }

    public void die() {
        if (up) {
            up = false;
            kernel.tell(name + " dies");
            List<Runnable> last = List.copyOf(atDeath);
            atDeath.clear();
            last.forEach(Runnable::run);
        }
    }

    /** Once, when this life ends. */
    public void atDeath(Runnable action) {
        atDeath.add(action);
    }

    /** Later in this life, or never. */
    public void after(long delay, Runnable action) {
        int life = number;
        kernel.at(delay, () -> inLife(life, action));
    }

    private void inLife(int life, Runnable action) {
        if (!up || number != life) {
            return;
        }
        if (kernel.millis() < pausedUntil) {
            kernel.at(pausedUntil - kernel.millis(), () -> inLife(life, action));
            return;
        }
        guarded(action);
    }

    /** A crash in the middle of what it does ends the process there. */
    public void guarded(Runnable action) {
        try {
            action.run();
        } catch (Crash crash) {
            die();
        }
    }

    /** The process is killed right here. */
    public static final class Crash extends Error {
        private static final long serialVersionUID = 1;

        public Crash() {
            super("killed", null, false, false);
        }
    }
}
