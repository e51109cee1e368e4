package io.muster.agent.peer;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/** Closes a socket when its time is over, whatever it waits for then: also a write that nobody reads. */
final class TimeLimit implements AutoCloseable {

    private final Socket socket;
    private final Thread watch;
    private volatile long until;

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

    private void watch() {
        while (!socket.isClosed()) {
            long left = until - System.nanoTime();
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
