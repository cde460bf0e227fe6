package io.godwit.mqtt.transport.ws;

import io.godwit.mqtt.transport.config.AllowedOrigins;
import io.godwit.mqtt.transport.connection.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the HTTP request that opens a WebSocket (RFC 6455, 4.2), then {@link WebSocketFrames} replaces it. The client
 * must offer one of MQTT's subprotocols [MQTT5-6.0.0-3], and a browser must come from an allowed page
 * ({@link AllowedOrigins}). No extension is used. Any other request gets an HTTP error, and the connection is counted
 * and closed. Confined to the channel's event loop.
 */
public final class WebSocketUpgrade extends ChannelInboundHandlerAdapter {
    private static final int MAX_REQUEST_LINE_BYTES = 4096;
    private static final int MAX_HEADER_BYTES = 8192;
    private static final int MAX_CHUNK_BYTES = 8192;
    private static final String MQTT = "mqtt";
    /** The name that MQTT 3.1 clients used before "mqtt" existed. */
    private static final String MQTT_3_1 = "mqttv3.1";

    private static final String VERSION = "13";
    private static final int KEY_BYTES = 16;
    private static final String ACCEPT_SALT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final String path;
    private final AllowedOrigins origins;
    private final Connection connection;
    private final Consumer<String> violated;
    private @Nullable HttpRequest request;

    /**
     * @param path the path that is answered, without a query
     * @param origins of the web pages that are served
     * @param violated counts a wrong request, given its fault, and closes the connection
     */
    public WebSocketUpgrade(String path, AllowedOrigins origins, Connection connection, Consumer<String> violated) {
        this.path = path;
        this.origins = origins;
        this.connection = connection;
        this.violated = violated;
    }

    /** The codec before this handler. Its limits bound the memory that a client can take. */
    public static HttpServerCodec newHttpCodec() {
        return new HttpServerCodec(MAX_REQUEST_LINE_BYTES, MAX_HEADER_BYTES, MAX_CHUNK_BYTES);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        try {
            if (!connection.isOpen()) {
                return; // already answered
            }
            if (msg instanceof HttpRequest head) {
                request = head;
                if (head.decoderResult().isFailure()) {
                    refuse(ctx, statusOf(head.decoderResult().cause()), "not an HTTP request");
                    return;
                }
            }
            if (msg instanceof HttpContent body
                    && (body.decoderResult().isFailure() || body.content().isReadable())) {
                refuse(ctx, HttpResponseStatus.BAD_REQUEST, "an HTTP request with a body");
            } else if (msg instanceof LastHttpContent && request != null) {
                answer(ctx, request);
            }
        } finally {
            ReferenceCountUtil.release(msg);
        }
    }

    private static HttpResponseStatus statusOf(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return HttpResponseStatus.REQUEST_URI_TOO_LONG;
        }
        return cause instanceof TooLongHttpHeaderException
                ? HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
                : HttpResponseStatus.BAD_REQUEST;
    }

    private void answer(ChannelHandlerContext ctx, HttpRequest head) {
        HttpHeaders headers = head.headers();
        String uri = head.uri();
        int query = uri.indexOf('?');
        if (!(query < 0 ? uri : uri.substring(0, query)).equals(path)) {
            refuse(ctx, HttpResponseStatus.NOT_FOUND, "HTTP request for another path");
        } else if (!head.method().equals(HttpMethod.GET)
                || !head.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
            refuse(ctx, HttpResponseStatus.METHOD_NOT_ALLOWED, "HTTP request that is no GET of HTTP/1.1");
        } else if (!headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                || !headers.containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true)
                || !VERSION.equals(headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))) {
            refuse(ctx, HttpResponseStatus.UPGRADE_REQUIRED, "HTTP request without upgrade to WebSocket 13");
        } else if (!origins.allow(
                headers.getAll(HttpHeaderNames.ORIGIN), headers.get(HttpHeaderNames.HOST), isNameProven(ctx))) {
            // browsers do not ask the user, who may be able to reach servers that the page's owner cannot [RFC 6455,
            // 10.2]
            refuse(ctx, HttpResponseStatus.FORBIDDEN, "the Origin of a WebSocket request is not allowed");
        } else {
            String key = headers.get(HttpHeaderNames.SEC_WEBSOCKET_KEY);
            String subprotocol = subprotocol(headers);
            if (!isKey(key)) {
                refuse(ctx, HttpResponseStatus.BAD_REQUEST, "WebSocket request without a key of 16 bytes");
            } else if (subprotocol == null) {
                refuse(ctx, HttpResponseStatus.BAD_REQUEST, "WebSocket request without subprotocol mqtt");
            } else {
                accept(ctx, key, subprotocol);
            }
        }
    }

    private static boolean isNameProven(ChannelHandlerContext ctx) {
        boolean isLoopback = ctx.channel().localAddress() instanceof InetSocketAddress local
                && local.getAddress().isLoopbackAddress();
        return !isLoopback && ctx.pipeline().get(SslHandler.class) != null;
    }

    private static boolean isKey(@Nullable String key) {
        try {
            return key != null && Base64.getDecoder().decode(key).length == KEY_BYTES;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The subprotocol to use: "mqtt" if the client offers it, else the older name, else null [MQTT5-6.0.0-4]. */
    private static @Nullable String subprotocol(HttpHeaders headers) {
        String found = null;
        for (String header : headers.getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL)) {
            for (String offered : header.split(",", -1)) {
                String name = offered.strip();
                if (name.equals(MQTT) || name.equals(MQTT_3_1) && found == null) {
                    found = name;
                }
            }
        }
        return found;
    }

    private void accept(ChannelHandlerContext ctx, String key, String subprotocol) {
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
        response.headers()
                .set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET)
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE)
                .set(HttpHeaderNames.SEC_WEBSOCKET_ACCEPT, acceptOf(key))
                .set(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, subprotocol); // [MQTT5-6.0.0-4]
        ctx.writeAndFlush(response);
        ctx.pipeline().addAfter(ctx.name(), null, new WebSocketFrames(connection));
        ctx.pipeline().remove(this);
        ctx.pipeline().remove(HttpServerCodec.class); // passes on the bytes after the request
    }

    private static String acceptOf(String key) {
        try {
            MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder()
                    .encodeToString(sha1.digest((key + ACCEPT_SALT).getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    private void refuse(ChannelHandlerContext ctx, HttpResponseStatus status, String reason) {
        ByteBuf text = Unpooled.copiedBuffer(reason + "\n", StandardCharsets.US_ASCII);
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, text);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
                .set(HttpHeaderNames.CONTENT_LENGTH, text.readableBytes())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (status.equals(HttpResponseStatus.UPGRADE_REQUIRED)) {
            response.headers()
                    .set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET)
                    .set(HttpHeaderNames.SEC_WEBSOCKET_VERSION, VERSION);
        }
        ctx.writeAndFlush(response);
        violated.accept(reason);
    }
}
