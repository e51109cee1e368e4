package io.muster.simulation;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Loses, doubles, delays and so reorders whatever is sent. A question may do its work though its asker has long given up
 * or died: what is late is still done. When the weather is fair nothing is lost and all of it is quick.
 */
public final class Network {

    /** How bad it is. */
    public record Weather(double lost, double doubled, double late, int latest) {
        public static final Weather FAIR = new Weather(0, 0, 0, 0);
    }

    private final Kernel kernel;
    private Weather weather;

    public Network(Kernel kernel, Weather weather) {
        this.kernel = kernel;
        this.weather = weather;
    }

    public void weather(Weather next) {
        weather = next;
    }

    public boolean fair() {
        return weather.equals(Weather.FAIR);
    }

    public int delay() {
        Chance chance = kernel.chance();
        return chance.once(weather.late) ? chance.between(20, weather.latest) : chance.between(1, 12);
    }

    /**
     * Asks another process.
     *
     * @param open whether the way between the two is open, looked at when a message leaves and when it arrives
     * @param work what the other does; null = it answers nothing usable
     * @param answer null: no answer came in time
     */
    public <A> void ask(
            Life from,
            Life to,
            BooleanSupplier open,
            int patience,
            Supplier<@Nullable A> work,
            Consumer<@Nullable A> answer) {
        askForLater(from, to, open, patience, reply -> reply.accept(work.get()), answer);
    }

    /** The same, when the other may answer whenever it likes. */
    public <A> void askForLater(
            Life from,
            Life to,
            BooleanSupplier open,
            int patience,
            Consumer<Consumer<@Nullable A>> work,
            Consumer<@Nullable A> answer) {
        Chance chance = kernel.chance();
        Pending<A> pending = new Pending<>(answer);
        from.after(patience, () -> pending.end(null));
        if (!open.getAsBoolean() || chance.once(weather.lost)) {
            return;
        }
        int copies = chance.once(weather.doubled) ? 2 : 1;
        for (int copy = 0; copy < copies; copy++) {
            kernel.at(delay(), () -> arrive(from, to, open, work, pending));
        }
    }

    private <A> void arrive(
            Life from, Life to, BooleanSupplier open, Consumer<Consumer<@Nullable A>> work, Pending<A> pending) {
        if (!open.getAsBoolean()) {
            return;
        }
        if (!to.up()) {
            // connection refused: the asker knows at once
            from.after(1, () -> pending.end(null));
            return;
        }
        to.after(
                0,
                () -> work.accept(result -> {
                    if (open.getAsBoolean() && !kernel.chance().once(weather.lost)) {
                        from.after(delay(), () -> {
                            if (open.getAsBoolean()) {
                                pending.end(result);
                            }
                        });
                    }
                }));
    }

    private static final class Pending<A> {
        private final Consumer<@Nullable A> answer;
        private boolean over;

        private Pending(Consumer<@Nullable A> answer) {
            this.answer = answer;
        }

        private void end(@Nullable A result) {
            if (!over) {
                over = true;
                answer.accept(result);
            }
        }
    }
}
