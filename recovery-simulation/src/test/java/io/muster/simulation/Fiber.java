package io.muster.simulation;

import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Code that waits for an answer in the middle of what it does. It runs on a thread of its own, but never at the same
 * time as the kernel: whoever runs waits for nobody, whoever waits does not run. A fiber of a process that has died
 * wakes only to be unwound.
 */
public final class Fiber {

    private static final ThreadLocal<@Nullable Fiber> CURRENT = new ThreadLocal<>();

    private final Life life;
    private final Thread kernelThread;
    private volatile boolean mine;
    private volatile boolean ended;
    private volatile @Nullable Throwable failure;
    private @Nullable Object answer;
    private boolean answered;
    private boolean dead;
    private @Nullable Thread thread;

    private Fiber(Life life) {
        this.life = life;
        this.kernelThread = Thread.currentThread();
    }

    /** Runs the body until it ends or waits for the first time. */
    public static void run(Life life, Runnable body) {
        Fiber fiber = new Fiber(life);
        life.atDeath(fiber::unwind);
        fiber.thread = Thread.ofVirtual().unstarted(() -> {
            CURRENT.set(fiber);
            fiber.awaitTurn();
            try {
                body.run();
            } catch (Throwable thrown) {
                fiber.failure = thrown;
            }
            fiber.ended = true;
            fiber.giveBack();
        });
        fiber.thread.start();
        fiber.goOn();
    }

    /**
     * Asks, and waits for the answer, which the asker gives exactly once and later.
     *
     * @throws Life.Crash if the process dies meanwhile
     */
    @SuppressWarnings("unchecked")
    public static <A> @Nullable A await(Consumer<Consumer<@Nullable A>> asker) {
        Fiber fiber = CURRENT.get();
        if (fiber == null) {
            throw new IllegalStateException("only a fiber can wait");
        }
        fiber.answered = false;
        asker.accept(answer -> fiber.answer(answer));
        fiber.giveBack();
        fiber.awaitTurn();
        if (fiber.dead) {
            throw new Life.Crash();
        }
        return (A) fiber.answer;
    }

    public static boolean inFiber() {
        return CURRENT.get() != null;
    }

    private void answer(@Nullable Object given) {
        if (!answered && !ended && !dead) {
            answered = true;
            answer = given;
            life.guarded(this::goOn);
        }
    }

    private void unwind() {
        if (!ended && Thread.currentThread() != thread) {
            dead = true;
            goOn();
        }
    }

    private void goOn() {
        mine = true;
        LockSupport.unpark(thread);
        while (mine) {
            LockSupport.park(this);
        }
        Throwable thrown = failure;
        failure = null;
        if (thrown instanceof Life.Crash && dead) {
            return;
        }
        if (thrown instanceof RuntimeException bug) {
            throw bug;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
    }

    private void giveBack() {
        mine = false;
        LockSupport.unpark(kernelThread);
    }

    private void awaitTurn() {
        while (!mine) {
            LockSupport.park(this);
        }
    }
}
