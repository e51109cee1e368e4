package io.muster.agent.probe;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.ProbeResult;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Connects to a peer's agent from this node's own address and reads who answers; somebody else answering is not reached. */
public final class PeerProbe {

    private static final int LONGEST_GREETING = 200;

    private final NodeId self;
    private final String ownAddress;

    public PeerProbe(NodeId self, String ownAddress) {
        this.self = self;
        this.ownAddress = ownAddress;
    }

    public ProbeResult reach(@Nullable String probeId, NodeId target, String address, int port, Duration limit) {
        long begun = System.nanoTime();
        String place = target + " at " + address + ":" + port;
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(ownAddress), 0));
            socket.connect(new InetSocketAddress(InetAddress.getByName(address), port), (int) limit.toMillis());
            socket.setSoTimeout((int) limit.toMillis());
            String greeting = line(socket.getInputStream());
            boolean right = greeting.startsWith("MUSTER " + target + " ");
            String message =
                    right ? "reached " + place : place + " answered '" + greeting + "' instead of its greeting";
            return new ProbeResult(probeId, self, target, right, millisSince(begun), message);
        } catch (IOException unreached) {
            String message = "cannot reach " + place + ": " + unreached.getMessage();
            return new ProbeResult(probeId, self, target, false, millisSince(begun), message);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n' && text.length() < LONGEST_GREETING; next = in.read()) {
            text.append(new String(new byte[] {(byte) next}, StandardCharsets.ISO_8859_1));
        }
        return text.toString();
    }

    private static long millisSince(long begun) {
        return (System.nanoTime() - begun) / 1_000_000;
    }
}
