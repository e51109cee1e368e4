package io.muster.agent.probe;

import io.muster.contract.id.NodeId;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers every peer that connects with one line {@code MUSTER <node> <session> <challenge>}; who asks something then is
 * served by the guest desk, others are closed. At most 64 at once and 16 of one address: more are closed unanswered, so
 * that a flood costs nothing else and one address does not keep the others out. Conversations have threads of their own:
 * hashing a shard must not keep a heartbeat waiting.
 */
public final class PeerListener implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(PeerListener.class);

    private static final int MOST_OF_ONE_ADDRESS = 16;
    private static final int IDLE_MILLIS = 5000;
    private static final Duration AFTER_AN_ERROR = Duration.ofMillis(100);

    private final ServerSocket server;
    private final NodeId node;
    private final LongSupplier session;
    private final Guest guest;
    private final Semaphore places = new Semaphore(64);
    private final Map<InetAddress, Integer> present = new ConcurrentHashMap<>();

    /** Talks on with a peer that wants more than the greeting. */
    public interface Guest {

        /** Something new for every conversation, without blanks. */
        String challenge();

        /** Returns soon if the peer says nothing. */
        void serve(Socket peer, String challenge) throws IOException;
    }

    private PeerListener(ServerSocket server, NodeId node, LongSupplier session, Guest guest) {
        this.server = server;
        this.node = node;
        this.session = session;
        this.guest = guest;
    }

    public static PeerListener open(String address, int port, NodeId node, LongSupplier session, Guest guest)
            throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress(InetAddress.getByName(address), port), 128);
        } catch (IOException taken) {
            server.close();
            throw new IOException(
                    "cannot listen on " + address + ":" + port + " (" + taken.getMessage()
                            + "); stop what holds it or set MUSTER_AGENT_PORT",
                    taken);
        }
        PeerListener listener = new PeerListener(server, node, session, guest);
        Thread.ofPlatform().daemon().name("peer-listener").start(listener::listen);
        return listener;
    }

    public int port() {
        return server.getLocalPort();
    }

    private void listen() {
        while (!server.isClosed()) {
            try {
                Socket peer = server.accept();
                if (!enter(peer.getInetAddress())) {
                    peer.close();
                } else {
                    Thread.ofPlatform().daemon().name("peer").start(() -> answer(peer));
                }
            } catch (IOException broken) {
                if (!server.isClosed()) {
                    LOG.warn("peer listener: {}; it goes on", broken.getMessage());
                    LockSupport.parkNanos(AFTER_AN_ERROR.toNanos());
                }
            }
        }
    }

    private boolean enter(InetAddress from) {
        if (!places.tryAcquire()) {
            return false;
        }
        if (present.merge(from, 1, Integer::sum) > MOST_OF_ONE_ADDRESS) {
            leave(from);
            return false;
        }
        return true;
    }

    private void leave(InetAddress from) {
        present.computeIfPresent(from, (address, count) -> count == 1 ? null : count - 1);
        places.release();
    }

    private void answer(Socket peer) {
        InetAddress from = peer.getInetAddress();
        try (peer) {
            peer.setSoTimeout(IDLE_MILLIS);
            String challenge = guest.challenge();
            String greeting = "MUSTER " + node + " " + session.getAsLong() + " " + challenge + "\n";
            peer.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
            peer.getOutputStream().flush();
            guest.serve(peer, challenge);
        } catch (IOException gone) {
            LOG.debug("peer went away: {}", gone.getMessage());
        } catch (RuntimeException bug) {
            LOG.error("a peer's request failed; its connection is closed", bug);
        } finally {
            leave(from);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
