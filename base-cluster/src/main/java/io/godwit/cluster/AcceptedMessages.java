package io.godwit.cluster;

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
 * The kinds of messages that JGroups takes in. By itself it takes any, from whoever reaches the port: an {@link
 * ObjectMessage} may bring an object that Java deserializes, or the name of a class of which an object is made.
 *
 * <p>Our own messages are bytes. Of the protocols' some have no payload and some are an {@link ObjectMessage} that
 * lists numbers of messages: NAKACK2 and UNICAST3 ask for what was lost, STABLE tells what all have. Only these
 * payloads are read. JGroups keeps its kinds for the whole process.
 *
 * <p>By itself JGroups makes an array of whatever length a payload names, up to 2 GiB, before it looks whether so much
 * has come: a message of 30 bytes would end the process. Here nothing is longer than the longest message.
 */
final class AcceptedMessages extends MessageFactory {
    private static final LongAdder REFUSED = new LongAdder();

    private AcceptedMessages() {}

    /** From now on nothing else is taken in. Further calls change nothing. */
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

    /** Without a stack trace: whoever reaches the port can have it thrown. */
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

    /** A {@link BytesMessage} as it is read from a connection. */
    private static final class BoundedMessage extends BytesMessage {
        @Override
        public Supplier<Message> create() {
            return BoundedMessage::new;
        }

        @Override
        public void readPayload(DataInput in) throws IOException {
            int length = in.readInt();
            if (length >= 0) { // else it has no payload
                setArray(readBytes(in, length), 0, length);
            }
        }
    }

    private static byte[] readBytes(DataInput in, int length) throws IOException {
        if (length > MembershipStack.MAX_MESSAGE_BYTES) {
            throw new Refused();
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    /** An {@link ObjectMessage} as it is read from a connection. */
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

        /** As {@code Util.readSizeStreamable}, for these classes. */
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

        /** A {@link SeqnoList} all of which is there: how many bits it has, the first number, the words of the bits. */
        private static DataInput listOf(DataInput in) throws IOException {
            int bits = in.readInt();
            if (bits <= 0 || bits > Byte.SIZE * MembershipStack.MAX_MESSAGE_BYTES) {
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
