package io.muster.agent.probe;

import io.muster.contract.id.NodeId;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers every peer that connects with one line {@code MUSTER <node> <session>} and closes. At most 64 at once: more
 * are closed unanswered, so that a flood costs nothing else.
 */
public final class PeerListener implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(PeerListener.class);

    private final ServerSocket server;
    private final NodeId node;
    private final LongSupplier session;
    private final Semaphore places = new Semaphore(64);

    private PeerListener(ServerSocket server, NodeId node, LongSupplier session) {
        this.server = server;
        this.node = node;
        this.session = session;
    }

    public static PeerListener open(String address, int port, NodeId node, LongSupplier session) throws IOException {
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
        PeerListener listener = new PeerListener(server, node, session);
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
                if (places.tryAcquire()) {
                    Thread.ofVirtual().name("peer").start(() -> answer(peer));
                } else {
                    peer.close();
                }
            } catch (IOException broken) {
                if (!server.isClosed()) {
                    LOG.warn("peer listener: {}", broken.getMessage());
                }
            }
        }
    }

    private void answer(Socket peer) {
        try (peer) {
            peer.setSoTimeout(1000);
            String greeting = "MUSTER " + node + " " + session.getAsLong() + "\n";
            peer.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
            peer.getOutputStream().flush();
        } catch (IOException gone) {
            LOG.debug("peer went away: {}", gone.getMessage());
        } finally {
            places.release();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
