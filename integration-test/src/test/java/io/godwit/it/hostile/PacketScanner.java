package io.godwit.it.hostile;

import io.netty.buffer.ByteBuf;

/** Finds the packets in what a connection receives, however it is cut. Used by one thread. */
final class PacketScanner {
    private static final int HEAD_BYTES = 128;

    private final Listener listener;
    private final byte[] head = new byte[HEAD_BYTES];
    private int headBytes;
    private int first = -1;
    private int length;
    private int shift;
    /** Bytes of the packet that are still to come; -1 while its length is not known. */
    private int missing = -1;

    /** Told of each packet. */
    interface Listener {
        /** @param head the beginning of what follows the length */
        void packet(int first, byte[] head);
    }

    PacketScanner(Listener listener) {
        this.listener = listener;
    }

    /** The packet id of a PUBLISH whose topic fits into the head; 0 for QoS 0. */
    static int packetId(int first, byte[] head) {
        if ((first & 6) == 0) {
            return 0;
        }
        int at = 2 + ((head[0] & 0xFF) << 8 | head[1] & 0xFF);
        return (head[at] & 0xFF) << 8 | head[at + 1] & 0xFF;
    }

    /** @param bytes borrowed, and read to their end */
    void add(ByteBuf bytes) {
        while (bytes.isReadable()) {
            if (first < 0) {
                first = bytes.readUnsignedByte();
            } else if (missing < 0) {
                int next = bytes.readByte();
                length |= (next & 0x7F) << shift;
                shift += 7;
                missing = next >= 0 ? length : -1;
            } else {
                int there = Math.min(missing, bytes.readableBytes());
                int kept = Math.min(there, HEAD_BYTES - headBytes);
                bytes.readBytes(head, headBytes, kept).skipBytes(there - kept);
                headBytes += kept;
                missing -= there;
            }
            if (missing == 0) {
                listener.packet(first, head);
                first = -1;
                missing = -1;
                length = 0;
                shift = 0;
                headBytes = 0;
            }
        }
    }
}
