package io.muster.agent.peer;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/**
 * Closes a socket when its time is over, whatever it waits for then: also a write that nobody reads. While bytes flow,
 * each chunk has a time of its own within that.
 */
final class TimeLimit implements AutoCloseable {

    private final Socket socket;
    private final Thread watch;
    private volatile long until;
    private volatile long chunkUntil;
    private volatile boolean flowing;

    TimeLimit(Socket socket, Duration time) {
        this.socket = socket;
        this.until = System.nanoTime() + time.toNanos();
        this.watch = Thread.ofVirtual().name("peer-time").start(this::watch);
    }

    /** From now on so long. */
    void allow(Duration time) {
        until = System.nanoTime() + time.toNanos();
        watch.interrupt();
    }

    /** A chunk begins. */
    void chunk(Duration time) {
        chunkUntil = System.nanoTime() + time.toNanos();
        if (!flowing) {
            flowing = true;
            watch.interrupt();
        }
    }

    /** The last chunk is over. */
    void flowed() {
        flowing = false;
        watch.interrupt();
    }

    private long left() {
        long now = System.nanoTime();
        return flowing ? Math.min(until - now, chunkUntil - now) : until - now;
    }

    private void watch() {
        while (!socket.isClosed()) {
            long left = left();
            if (left <= 0) {
                end();
                return;
            }
            try {
                Thread.sleep(Duration.ofNanos(left));
            } catch (InterruptedException changed) {
                continue;
            }
        }
    }

    private void end() {
        try {
            socket.close();
        } catch (IOException closed) {
            return;
        }
    }

    /** Ends the watch; the socket is closed with it. */
    @Override
    public void close() {
        end();
        watch.interrupt();
    }
}
