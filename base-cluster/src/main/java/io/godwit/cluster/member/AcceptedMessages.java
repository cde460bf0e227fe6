package io.godwit.cluster.member;

import java.io.DataInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.Digest;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.SizeStreamable;

/**
 * Restricts the kinds of messages that JGroups accepts. By default it accepts any kind from anyone who reaches the
 * port: an {@link ObjectMessage} may carry an object that Java deserializes, or the name of a class to instantiate.
 *
 * <p>Our own messages are bytes. The protocols' messages have no payload or are an {@link ObjectMessage} with a list of
 * message numbers: NAKACK2 and UNICAST3 ask for lost messages, STABLE tells which messages all members have. Only these
 * payloads are read. The restriction applies to the whole process.
 *
 * <p>By default JGroups allocates an array of the length that a payload names, up to 2 GiB, before it checks how much
 * data has arrived: a message of 30 bytes could end the process. Here no array is longer than the longest message.
 */
final class AcceptedMessages extends MessageFactory {
    /** The largest message of the membership. */
    static final int MAX_MESSAGE_BYTES = 1 << 20;

    private static final LongAdder REFUSED = new LongAdder();

    private AcceptedMessages() {}

    /** Refuses all other messages from now on. Further calls change nothing. */
    static void install() {
        for (int kind = 0; kind < creators.length; kind++) {
            Supplier<? extends Message> known = creators[kind];
            if (kind == Message.OBJ_MSG) {
                creators[kind] = NumbersMessage::new;
            } else if (kind == Message.BYTES_MSG) {
                creators[kind] = BoundedMessage::new;
            } else if (kind != Message.EMPTY_MSG && known != null) {
                creators[kind] = () -> {
                    throw new Refused();
                };
            }
        }
    }

    /** How many messages were refused by this process. */
    static long refused() {
        return REFUSED.sum();
    }

    /** Has no stack trace, because anyone who reaches the port can cause it. */
    private static final class Refused extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        Refused() {
            super("a message of a kind or with a payload that members do not send");
            REFUSED.increment();
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** A {@link BytesMessage} read from a connection, with a bound on its length. */
    private static final class BoundedMessage extends BytesMessage {
        @Override
        public Supplier<Message> create() {
            return BoundedMessage::new;
        }

        @Override
        public void readPayload(DataInput in) throws IOException {
            int length = in.readInt();
            if (length >= 0) { // negative: no payload
                setArray(readBytes(in, length), 0, length);
            }
        }
    }

    private static byte[] readBytes(DataInput in, int length) throws IOException {
        if (length > MAX_MESSAGE_BYTES) {
            throw new Refused();
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    /** An {@link ObjectMessage} read from a connection, limited to lists of message numbers. */
    private static final class NumbersMessage extends ObjectMessage {
        private static final short LIST = ClassConfigurator.getMagicNumber(SeqnoList.class);
        private static final Set<Short> NUMBERS = Set.of(
                LIST,
                ClassConfigurator.getMagicNumber(Digest.class),
                ClassConfigurator.getMagicNumber(MutableDigest.class));

        @Override
        public Supplier<Message> create() {
            return NumbersMessage::new;
        }

        /** Like {@code Util.readSizeStreamable}, but only for these classes. */
        @Override
        public void readPayload(DataInput in) throws IOException, ClassNotFoundException {
            if (in.readByte() == 0) {
                return; // no payload
            }
            short number = in.readShort();
            if (!NUMBERS.contains(number)) {
                throw new Refused();
            }
            SizeStreamable numbers = ClassConfigurator.create(number);
            numbers.readFrom(number == LIST ? listOf(in) : in);
            setSizeStreamable(numbers);
        }

        /**
         * Checks the length of a {@link SeqnoList} and reads it whole: the number of bits, the first number, the words
         * of bits.
         */
        private static DataInput listOf(DataInput in) throws IOException {
            int bits = in.readInt();
            if (bits <= 0 || bits > Byte.SIZE * MAX_MESSAGE_BYTES) {
                throw new Refused();
            }
            long first = in.readLong();
            byte[] words = readBytes(in, Long.BYTES * ((bits - 1) / Long.SIZE + 1));
            ByteBuffer list = ByteBuffer.allocate(Integer.BYTES + Long.BYTES + words.length);
            list.putInt(bits).putLong(first).put(words);
            return new ByteArrayDataInputStream(list.array());
        }
    }
}
