package io.godwit.mqtt.transport.ws;

import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.mqtt.transport.connection.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * MQTT in WebSocket frames (RFC 6455, 5): removes the frames from input, and puts each written buffer into one binary
 * frame.
 *
 * <p>The payload of data frames is passed on as it arrives. A packet may span frames and a frame packets
 * [MQTT5-6.0.0-2], so no data frame is gathered, and its length needs no limit and no memory. Only control frames are
 * gathered, of 125 bytes at most. Pings are answered while the client reads the answers. A text frame is a breach
 * [MQTT5-6.0.0-1].
 *
 * <pre>
 * byte 0    FIN (bit 7), reserved (6 to 4, no extension: 0), opcode (3 to 0)
 * byte 1    MASK (bit 7, 1 from clients), length (6 to 0): up to 125, or 126 with 2, or 127 with 8 further bytes of
 *           length
 * 4 bytes   masking key, with MASK; then the payload
 * </pre>
 *
 * <p>Confined to the channel's event loop; an idle connection holds no buffer.
 */
public final class WebSocketFrames extends ChannelDuplexHandler {
    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private static final int FIN = 0x80;
    private static final int RESERVED = 0x70;
    private static final int MASK = 0x80;
    private static final int MAX_CONTROL_BYTES = 125;
    private static final int MAX_HEADER_BYTES = 10;

    private static final int NORMAL = 1000;
    private static final int PROTOCOL_ERROR = 1002;
    private static final int UNSUPPORTED_DATA = 1003;
    private static final int NO_STATUS = -1;

    private final Connection connection;

    // the frame being read
    private Phase phase = Phase.FIRST;
    private int opcode;
    private boolean isFinal;
    private long length;
    private int missing;
    private int mask;
    /** The bytes of a control frame's payload that have arrived. */
    private @Nullable ByteBuf control;

    // the connection
    private boolean isInMessage;
    private boolean hasFailed;
    private boolean isCloseSent;
    private boolean isCloseReceived;
    private int closeStatus = NORMAL;

    WebSocketFrames(Connection connection) {
        this.connection = connection;
    }

    private enum Phase {
        FIRST,
        SECOND,
        LENGTH,
        MASKING_KEY,
        PAYLOAD
    }

    // ---- in

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object msg) {
        if (!(msg instanceof ByteBuf in)) {
            ctx.fireChannelRead(msg);
            return;
        }
        try {
            while (in.isReadable() && !hasFailed && !isCloseReceived) {
                if (phase == Phase.PAYLOAD) {
                    readPayload(ctx, in);
                } else {
                    readHeader(in.readUnsignedByte());
                    if (phase == Phase.PAYLOAD && length == 0) {
                        endFrame(ctx);
                    }
                }
            }
        } catch (ProtocolException e) {
            hasFailed = true;
            releaseControl();
            ctx.fireExceptionCaught(e);
        } finally {
            in.release();
        }
    }

    private void readHeader(int next) {
        switch (phase) {
            case FIRST -> {
                isFinal = (next & FIN) != 0;
                opcode = next & 0x0F;
                if ((next & RESERVED) != 0) {
                    throw breach(PROTOCOL_ERROR, "reserved bits of a WebSocket frame are set");
                }
                checkOpcode();
                phase = Phase.SECOND;
            }
            case SECOND -> {
                if ((next & MASK) == 0) {
                    throw breach(PROTOCOL_ERROR, "a WebSocket frame is not masked");
                }
                length = next & 0x7F;
                if (isControl() && length > MAX_CONTROL_BYTES) {
                    throw breach(PROTOCOL_ERROR, "a control frame has more than 125 bytes");
                }
                if (length <= 125) {
                    await(Phase.MASKING_KEY, 4);
                } else {
                    await(Phase.LENGTH, length == 126 ? 2 : 8);
                    length = 0;
                }
            }
            case LENGTH -> {
                length = length << 8 | next;
                if (length < 0) {
                    throw breach(PROTOCOL_ERROR, "the length of a WebSocket frame has more than 63 bits");
                }
                if (--missing == 0) {
                    await(Phase.MASKING_KEY, 4);
                }
            }
            case MASKING_KEY -> {
                mask = mask << 8 | next;
                if (--missing == 0) {
                    phase = Phase.PAYLOAD;
                }
            }
            case PAYLOAD -> throw new IllegalStateException("no header");
        }
    }

    private void await(Phase next, int bytes) {
        phase = next;
        missing = bytes;
    }

    private void checkOpcode() {
        switch (opcode) {
            case BINARY -> {
                if (isInMessage) {
                    throw breach(PROTOCOL_ERROR, "a WebSocket message begins within another");
                }
            }
            case CONTINUATION -> {
                if (!isInMessage) {
                    throw breach(PROTOCOL_ERROR, "a WebSocket continuation frame without a message");
                }
            }
            case TEXT -> throw breach(UNSUPPORTED_DATA, "a WebSocket text frame"); // [MQTT5-6.0.0-1]
            case CLOSE, PING, PONG -> {
                if (!isFinal) {
                    throw breach(PROTOCOL_ERROR, "a WebSocket control frame is in pieces");
                }
            }
            default -> throw breach(PROTOCOL_ERROR, "WebSocket opcode " + opcode + " is reserved");
        }
    }

    private boolean isControl() {
        return opcode >= CLOSE;
    }

    private ProtocolException breach(int status, String detail) {
        closeStatus = status;
        return new ProtocolException(ReasonCode.PROTOCOL_ERROR, detail);
    }

    private void readPayload(ChannelHandlerContext ctx, ByteBuf in) {
        int bytes = (int) Math.min(length, in.readableBytes());
        unmask(in, bytes);
        length -= bytes;
        if (isControl()) {
            if (control == null) {
                control = ctx.alloc().buffer(bytes + (int) length);
            }
            control.writeBytes(in, bytes);
        } else if (connection.isOpen()) {
            ctx.fireChannelRead(in.readRetainedSlice(bytes));
        } else {
            in.skipBytes(bytes); // sent before the client knew of the close
        }
        if (length == 0) {
            endFrame(ctx);
        }
    }

    /** In place: nobody else holds the buffer. */
    private void unmask(ByteBuf in, int bytes) {
        int at = in.readerIndex();
        int end = at + bytes;
        long wide = (long) mask << 32 | mask & 0xFFFF_FFFFL;
        for (; end - at >= 8; at += 8) {
            in.setLong(at, in.getLong(at) ^ wide);
        }
        for (; at < end; at++) {
            in.setByte(at, in.getByte(at) ^ mask >>> 24);
            mask = Integer.rotateLeft(mask, 8); // the key continues where this piece of the payload ends
        }
    }

    private void endFrame(ChannelHandlerContext ctx) {
        phase = Phase.FIRST;
        switch (opcode) {
            case PING -> {
                if (ctx.channel().isWritable()) {
                    int bytes = control == null ? 0 : control.readableBytes();
                    ctx.write(header(ctx, PONG, bytes), ctx.voidPromise());
                    if (control != null) {
                        ctx.write(control, ctx.voidPromise());
                        control = null;
                    }
                    ctx.flush();
                }
                releaseControl();
            }
            case CLOSE -> {
                isCloseReceived = true;
                if (isCloseSent) {
                    ctx.close();
                } else {
                    closeStatus =
                            control != null && control.readableBytes() >= 2 ? control.readUnsignedShort() : NO_STATUS;
                    connection.closedByPeer("the client closed the WebSocket");
                }
                releaseControl();
            }
            case PONG -> releaseControl();
            default -> isInMessage = !isFinal;
        }
    }

    private void releaseControl() {
        if (control != null) {
            control.release();
            control = null;
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        releaseControl();
    }

    // ---- out

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (msg instanceof ByteBuf payload && payload.isReadable()) {
            if (isCloseSent) {
                ReferenceCountUtil.release(msg);
                promise.trySuccess();
                return;
            }
            ctx.write(header(ctx, BINARY, payload.readableBytes()), ctx.voidPromise());
        }
        ctx.write(msg, promise);
    }

    /** Sends the Close frame; the client answers with its own, unless {@link #isOver}. */
    public ChannelFuture sayClose(ChannelHandlerContext ctx) {
        isCloseSent = true;
        ByteBuf frame = header(ctx, CLOSE, closeStatus == NO_STATUS ? 0 : 2);
        if (closeStatus != NO_STATUS) {
            frame.writeShort(closeStatus);
        }
        return ctx.writeAndFlush(frame);
    }

    /** Whether nothing more is expected from the client. */
    public boolean isOver() {
        return isCloseReceived || hasFailed;
    }

    private static ByteBuf header(ChannelHandlerContext ctx, int kind, int bytes) {
        ByteBuf header = ctx.alloc().directBuffer(MAX_HEADER_BYTES);
        header.writeByte(FIN | kind);
        if (bytes <= 125) {
            header.writeByte(bytes);
        } else if (bytes <= 0xFFFF) {
            header.writeByte(126).writeShort(bytes);
        } else {
            header.writeByte(127).writeLong(bytes);
        }
        return header;
    }
}
