package io.muster.agent.socket;

import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The Unix socket of one attempt on this node. One request, one answer, in order, per connection; a broken connection
 * or an unreadable stream ends that connection and nothing else. At most 256 connections; more are closed at once. Each has
 * a thread of its own: hashing a shard must not keep a heartbeat waiting.
 */
public final class RankSocket implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(RankSocket.class);
    private static final int MOST_CONNECTIONS = 256;

    /** Answers one request; may read the payload, all of it or not. */
    public interface Desk {
        Reply answer(JsonNode request, Payload payload) throws IOException, InterruptedException;
    }

    private final ServerSocketChannel server;
    private final Path path;
    private final Desk desk;
    private final JsonMapper json;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

    private RankSocket(ServerSocketChannel server, Path path, Desk desk, JsonMapper json) {
        this.server = server;
        this.path = path;
        this.desk = desk;
        this.json = json;
    }

    /** Serves at this path; a socket left there by an earlier life of this agent is replaced. */
    public static RankSocket open(Path path, Optional<Integer> owner, Desk desk, JsonMapper json) throws IOException {
        Files.deleteIfExists(path);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(path));
            own(path, owner);
        } catch (IOException broken) {
            server.close();
            throw broken;
        }
        RankSocket socket = new RankSocket(server, path, desk, json);
        Thread.ofVirtual().name("rank-socket").start(socket::accept);
        return socket;
    }

    /**
     * Only the ranks' user may connect. With a user of their own the folder is theirs, and they could put a link in the
     * socket's place: ownership is changed without following it, and the mode stays, which lets only the owner write.
     */
    private static void own(Path path, Optional<Integer> owner) throws IOException {
        if (owner.isPresent()) {
            Files.setAttribute(path, "unix:uid", owner.get(), LinkOption.NOFOLLOW_LINKS);
        } else {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        }
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                if (open.size() < MOST_CONNECTIONS) {
                    open.add(channel);
                    Thread.ofPlatform().daemon().name("rank-connection").start(() -> converse(channel));
                } else {
                    channel.close();
                }
            } catch (IOException broken) {
                if (server.isOpen()) {
                    LOG.warn("{}: {}", path, broken.getMessage());
                }
            }
        }
    }

    private void converse(SocketChannel channel) {
        try (channel) {
            while (true) {
                try {
                    Optional<JsonNode> request = Frame.readHeader(channel, json);
                    if (request.isEmpty()) {
                        return;
                    }
                    Payload payload = new Payload(channel, Frame.payloadBytes(request.get()));
                    answer(channel, desk.answer(request.get(), payload), payload);
                } catch (Frame.Malformed malformed) {
                    Frame.write(
                            channel,
                            Reply.refused("BAD_FRAME", String.valueOf(malformed.getMessage()))
                                    .header(),
                            json);
                    return;
                }
            }
        } catch (IOException gone) {
            LOG.debug("rank connection ended: {}", gone.getMessage());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException bug) {
            LOG.error("a request from a rank failed; its connection is closed", bug);
        } finally {
            open.remove(channel);
        }
    }

    private void answer(SocketChannel channel, Reply reply, Payload payload) throws IOException {
        payload.drain();
        Frame.write(channel, reply.header(), json);
        Reply.Bytes bytes = reply.bytes();
        if (bytes != null) {
            bytes.writeTo(channel);
        }
    }

    /** Ends all conversations; the path is free afterwards. */
    @Override
    public void close() throws IOException {
        server.close();
        for (SocketChannel channel : open) {
            channel.close();
        }
        Files.deleteIfExists(path);
    }
}
