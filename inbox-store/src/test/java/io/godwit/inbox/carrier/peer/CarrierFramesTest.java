package io.godwit.inbox.carrier.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.godwit.inbox.carrier.link.CommandCodec;
import io.godwit.inbox.carrier.link.FrameException;
import io.godwit.inbox.carrier.link.Versions;
import io.godwit.inbox.client.AttachRequest;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.wire.Delivery;
import io.godwit.inbox.wire.Hello;
import io.godwit.inbox.wire.InboxFrame;
import io.godwit.inbox.wire.InsertCall;
import io.godwit.inbox.wire.Reply;
import io.godwit.inbox.wire.SessionCall;
import io.godwit.kv.client.RangeException;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageCodec;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import org.junit.jupiter.api.Test;

/** Invalid frames end their link, and nothing else. */
class CarrierFramesTest extends CarrierStage {
    // --- clocks

    @Test
    void aMessageOfNegativeAgeEndsTheLink() {
        run();
        Message wrong = new Message("t", new byte[1], Qos.AT_LEAST_ONCE, false, -5, MessageProperties.NONE);
        nodes.link()
                .toLeaders
                .sendAnything(bytes(InboxFrame.newBuilder()
                        .setInsert(InsertCall.newBuilder()
                                .setTenant("t")
                                .setMessage(ByteString.copyFrom(MessageCodec.encode(wrong))))));
        assertAbandoned("-5 ms old");
    }

    // --- invalid frames

    @Test
    void aLinkBetweenReleasesThatDoNotUnderstandEachOtherIsGivenUp() {
        run();
        nodes.link()
                .toEdge
                .sendAnything(bytes(InboxFrame.newBuilder()
                        .setHello(Hello.newBuilder().setLeastVersion(2).setMostVersion(3))));
        assertAbandoned("versions 2 to 3");
    }

    @Test
    void framesThatAVersionDoesNotHaveAreRefused() throws Exception {
        Versions.check(Hello.newBuilder().setLeastVersion(1).setMostVersion(2).build(), 1);
        Versions.check(InboxFrame.KindCase.REPLY, 1);
        assertThatThrownBy(() -> Versions.check(InboxFrame.KindCase.REPLY, 0)).isInstanceOf(FrameException.class);
        assertThatThrownBy(() -> Versions.check(InboxFrame.KindCase.KIND_NOT_SET, 1))
                .isInstanceOf(FrameException.class);
    }

    @Test
    void bytesThatAreNoFrameEndTheLink() {
        run();
        nodes.link().toLeaders.sendAnything(new byte[] {1, 2, 3});
        assertAbandoned("");
        assertThat(causeOf(edge.owner(CLIENT))).isEqualTo(RangeException.Cause.LOST);
    }

    @Test
    void commandsThatComeToAnEdgeEndTheLink() {
        run();
        nodes.link().toEdge.sendAnything(bytes(InboxFrame.newBuilder().setSession(SessionCall.newBuilder())));
        assertAbandoned("a command came to an edge");
    }

    @Test
    void answersThatComeToALeaderEndTheLink() {
        run();
        nodes.link().toLeaders.sendAnything(bytes(InboxFrame.newBuilder().setReply(Reply.newBuilder())));
        assertAbandoned("an answer came");
    }

    @Test
    void anUnknownDeliveryEndsTheLink() {
        run();
        nodes.link().toEdge.sendAnything(bytes(InboxFrame.newBuilder().setDelivery(Delivery.newBuilder())));
        assertAbandoned("delivery");
    }

    @Test
    void aCommandWithAForbiddenValueEndsTheLink() {
        run();
        nodes.link()
                .toLeaders
                .sendAnything(bytes(InboxFrame.newBuilder()
                        .setSession(CommandCodec.encode(new SessionCommand.Owner(CLIENT), 0)
                                .setCall(1)
                                .setAttachment(4))));
        assertAbandoned("does not fit its attachment");
    }

    @Test
    void anAttachmentMayBeOpenedOnce() {
        attached(new Port());
        nodes.link()
                .toLeaders
                .sendAnything(bytes(InboxFrame.newBuilder()
                        .setSession(CommandCodec.encode(
                                        new SessionCommand.Attach(new AttachRequest(CLIENT, false, 60, null)), 0)
                                .setCall(77)
                                .setAttachment(1))));
        assertAbandoned("opened twice");
    }

    @Test
    void aCommandOfAnAttachmentThatIsNotThereFails() {
        run();
        nodes.link()
                .toLeaders
                .send(bytes(InboxFrame.newBuilder()
                        .setAttachment(CommandCodec.encode(new AttachmentCommand.Received(1), 0)
                                .setCall(5)
                                .setAttachment(99))));
        run();
        assertThat(nodes.abandoned).isEmpty();
        assertThat(nodes.link().toEdge.frames).hasSize(2);
    }
}
