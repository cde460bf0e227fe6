package io.godwit.api;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.ServerWebSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Answers MQTT 3.1.1 over WebSocket as a test wants it to. Each packet of the client is a message. Thread-safe. */
final class FakeMqttSocket implements AutoCloseable {
    /** Packets that clients have sent, as text. */
    final List<String> seen = new CopyOnWriteArrayList<>();

    volatile int connack;
    volatile int suback = 1;

    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;
    private volatile @Nullable ServerWebSocket last;

    FakeMqttSocket() throws Exception {
        server = vertx.createHttpServer(new HttpServerOptions().addWebSocketSubProtocol("mqtt"))
                .webSocketHandler(socket -> {
                    last = socket;
                    socket.binaryMessageHandler(packet -> take(socket, packet));
                })
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    int port() {
        return server.actualPort();
    }

    private void take(ServerWebSocket socket, Buffer packet) {
        int at = 1;
        while (packet.getByte(at) < 0) {
            at++;
        }
        at++;
        int type = packet.getUnsignedByte(0) >> 4;
        switch (type) {
            case 1 -> {
                boolean hasLogin = (packet.getUnsignedByte(at + 7) & 0xC0) == 0xC0;
                String id = text(packet, at + 10);
                int user = at + 12 + id.length();
                String login = hasLogin
                        ? " " + text(packet, user) + ":"
                                + text(packet, user + 2 + text(packet, user).length())
                        : "";
                seen.add("connect " + id.replaceAll("[0-9a-f]{16}", "*") + login);
                socket.writeBinaryMessage(Buffer.buffer(new byte[] {0x20, 2, 0, (byte) connack}));
            }
            case 8 -> {
                String filter = text(packet, at + 2);
                seen.add("subscribe " + filter + " "
                        + packet.getByte(at + 4 + filter.getBytes(StandardCharsets.UTF_8).length));
                socket.writeBinaryMessage(Buffer.buffer(
                        new byte[] {(byte) 0x90, 3, packet.getByte(at), packet.getByte(at + 1), (byte) suback}));
            }
            case 10 -> {
                seen.add("unsubscribe " + text(packet, at + 2));
                socket.writeBinaryMessage(
                        Buffer.buffer(new byte[] {(byte) 0xB0, 2, packet.getByte(at), packet.getByte(at + 1)}));
            }
            case 14 -> seen.add("disconnect");
            default -> seen.add("packet " + type);
        }
    }

    private static String text(Buffer packet, int at) {
        return packet.getString(at + 2, at + 2 + packet.getUnsignedShort(at), "UTF-8");
    }

    /** Sends a message of QoS 0 to the last client. */
    void publish(String topic, byte[] payload) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        Buffer packet = Buffer.buffer().appendByte((byte) 0x30);
        int length = 2 + name.length + payload.length;
        do {
            packet.appendByte((byte) (length % 128 | (length >= 128 ? 0x80 : 0)));
            length /= 128;
        } while (length > 0);
        packet.appendUnsignedShort(name.length).appendBytes(name).appendBytes(payload);
        ServerWebSocket socket = last;
        if (socket == null) {
            throw new IllegalStateException("nobody has connected");
        }
        socket.writeBinaryMessage(packet);
    }

    /** Ends the last connection. */
    void drop() {
        ServerWebSocket socket = last;
        if (socket != null) {
            socket.close();
        }
    }

    @Override
    public void close() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }
}
