package io.godwit.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.SeqnoList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The length that a message names must not allocate that much memory: 30 bytes could end the process. */
class AcceptedMessagesTest {
    private static final int MOST = AcceptedMessages.MAX_MESSAGE_BYTES;

    @BeforeAll
    static void install() {
        AcceptedMessages.install();
    }

    private static void read(Message message, ByteBuffer payload) throws Exception {
        byte[] bytes = new byte[payload.flip().remaining()];
        payload.get(bytes);
        message.readPayload(new ByteArrayDataInputStream(bytes));
    }

    private static ByteBuffer list(int bits) {
        short kind = ClassConfigurator.getMagicNumber(SeqnoList.class);
        return ByteBuffer.allocate(100)
                .put((byte) 1)
                .putShort(kind)
                .putInt(bits)
                .putLong(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {MOST + 1, 1 << 28, Integer.MAX_VALUE})
    void bytesLongerThanAMessageAreRefused(int length) {
        Message message = MessageFactory.create(Message.BYTES_MSG);
        assertThatThrownBy(() -> read(message, ByteBuffer.allocate(4).putInt(length)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void bytesThatHaveNotComeAreMissed() {
        Message message = MessageFactory.create(Message.BYTES_MSG);
        assertThatThrownBy(
                        () -> read(message, ByteBuffer.allocate(10).putInt(MOST).put((byte) 1)))
                .isInstanceOf(EOFException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 8 * MOST + 1, 1 << 30, Integer.MAX_VALUE})
    void aListLongerThanAMessageIsRefused(int bits) {
        Message message = MessageFactory.create(Message.OBJ_MSG);
        assertThatThrownBy(() -> read(message, list(bits))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aListThatHasNotComeIsMissed() {
        Message message = MessageFactory.create(Message.OBJ_MSG);
        assertThatThrownBy(() -> read(message, list(8 * MOST))).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 1_000})
    void whatMembersSendComesThrough(int count) throws Exception {
        SeqnoList numbers = new SeqnoList(count, 5).add(5, 4 + count);
        Message read = roundTrip(new ObjectMessage(null, numbers));
        assertThat(read.<SeqnoList>getObject()).hasToString(numbers.toString());

        byte[] bytes = new byte[count];
        bytes[count - 1] = 7;
        assertThat(roundTrip(new BytesMessage(null, bytes)).getArray()).isEqualTo(bytes);
        assertThat(roundTrip(new BytesMessage(null)).getArray()).isNull();
    }

    private static Message roundTrip(Message sent) throws Exception {
        ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
        sent.writePayload(out);
        Message read = MessageFactory.create(sent.getType());
        read.readPayload(new ByteArrayDataInputStream(out.buffer(), 0, out.position()));
        return read;
    }
}
