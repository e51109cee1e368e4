package io.muster.agent.attempt;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A free port on the node's own address, bound but not listened on until rank 0 takes it: nobody else gets it, nobody connects. */
final class PortHold implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(PortHold.class);

    private final Socket socket;

    private PortHold(Socket socket) {
        this.socket = socket;
    }

    static PortHold on(String address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
            return new PortHold(socket);
        } catch (IOException taken) {
            socket.close();
            throw taken;
        }
    }

    int port() {
        return socket.getLocalPort();
    }

    /** A socket that was never connected has nothing to lose when closing it fails. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException broken) {
            LOG.warn("port {}: {}", port(), broken.getMessage());
        }
    }
}
