package io.godwit.dist.peer.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.peer.TestNode;
import io.godwit.dist.peer.link.ControlFrames;
import io.godwit.dist.wire.Barrier;
import io.godwit.dist.wire.BarrierDone;
import io.godwit.dist.wire.Choice;
import io.godwit.dist.wire.ChoiceAnswer;
import io.godwit.dist.wire.ChoiceQuestion;
import io.godwit.dist.wire.FilterChange;
import io.godwit.dist.wire.FilterChanges;
import io.godwit.dist.wire.FinishedToken;
import io.godwit.dist.wire.FinishedTokens;
import io.godwit.dist.wire.GroupAnswer;
import io.godwit.dist.wire.MemberChange;
import io.godwit.dist.wire.NodeMembers;
import io.godwit.dist.wire.PeerFrame;
import io.godwit.dist.wire.Serving;
import io.godwit.dist.wire.StickyChoice;
import io.godwit.dist.wire.StickyChoices;
import io.godwit.dist.wire.StoredMember;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.message.UserProperty;
import io.godwit.plugin.topic.TopicFilter;
import io.godwit.testing.Corpus;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The recorded frames of version 1, in the lanes LIVE and CONTROL: nodes of other releases send and expect them byte by
 * byte. When a frame is added, {@code -Dgodwit.corpus.write=FILE} writes all of them to that file; existing ones must
 * not change.
 */
class PeerCorpusTest {
    private static final Corpus CORPUS = Corpus.of(PeerCorpusTest.class, "/peer-frames-v1.properties");
    private static final int VERSION = 1;
    private static final String LIVE = "live.";
    /** The encoding node's clock: the message is a minute old. */
    private static final long NOW_MILLIS = 1_700_000_060_000L;

    private static final ClientInfo PUBLISHER =
            new ClientInfo(new TenantId("acme"), new ClientId("größer"), "user", "10.0.0.1:1", 5);
    private static final Message MESSAGE = new Message(
            "a/b",
            "text".getBytes(StandardCharsets.UTF_8),
            Qos.EXACTLY_ONCE,
            true,
            1_700_000_000_000L,
            new MessageProperties(1, 60, "type", "r", new byte[] {1}, List.of(new UserProperty("k", "v"))));
    private static final DeliveryToken TOKEN = new DeliveryToken("origin", -4, 7, false);
    private static final List<TopicFilter> GROUPS =
            List.of(TestNode.filter("$share/g/a/+"), TestNode.filter("$oshare/o/#"));

    private final Map<String, byte[]> frames = new TreeMap<>();

    private void live(String name, DeliveryToken token, boolean isForPlain, List<TopicFilter> groups, long number) {
        live(name, token, isForPlain, groups, number, 0, null);
    }

    private void live(
            String name,
            DeliveryToken token,
            boolean isForPlain,
            List<TopicFilter> groups,
            long number,
            long servingSince,
            @Nullable SharedPick asked) {
        frames.put(
                LIVE + name,
                LiveFrame.encode(
                        VERSION,
                        PUBLISHER,
                        MESSAGE,
                        token,
                        NOW_MILLIS,
                        isForPlain,
                        groups,
                        number,
                        servingSince,
                        asked));
    }

    private void control(String name, PeerFrame.Builder frame) {
        frames.put("control." + name, ControlFrames.encode(frame.build()));
    }

    private void all() {
        frames.put(LIVE + "plain", LiveFrame.encode(VERSION, PUBLISHER, MESSAGE, null, NOW_MILLIS));
        live("token", TOKEN, true, List.of(), 0);
        live("resumed", new DeliveryToken("origin", 300, 7, true), true, List.of(), 0);
        live("groups", TOKEN, false, GROUPS, 99);
        live("groups.chosen", TOKEN, false, GROUPS, 99, 300, null);
        for (SharedPick asked : SharedPick.values()) {
            live("groups.asked." + asked, TOKEN, false, GROUPS, 99, 300, asked);
        }
        live("groups.unanswered", null, true, GROUPS, 0);

        FilterChange plain = FilterChange.newBuilder()
                .setTenant("acme")
                .setFilter("a/#")
                .setMembers(1)
                .build();
        FilterChange shared = FilterChange.newBuilder()
                .setTenant("default")
                .setFilter("$share/g/a")
                .setMembers(300)
                .build();
        FilterChange gone =
                FilterChange.newBuilder().setTenant("default").setFilter("b").build();
        control("filters.first", PeerFrame.newBuilder().setFilters(FilterChanges.newBuilder()));
        control(
                "filters.first.strategies",
                PeerFrame.newBuilder().setFilters(FilterChanges.newBuilder().setReadsStrategies(true)));
        control(
                "filters",
                PeerFrame.newBuilder()
                        .setFilters(FilterChanges.newBuilder()
                                .setNumber(300)
                                .addAllChanges(List.of(plain, shared, gone))
                                .setEndsList(true)));
        MemberChange connected = MemberChange.newBuilder()
                .setTenant("acme")
                .setFilter("$share/g/a")
                .setClientId("größer")
                .setIncarnation(300)
                .setConnected(true)
                .build();
        MemberChange notConnected = MemberChange.newBuilder()
                .setTenant("default")
                .setFilter("$queue/a")
                .setClientId("c")
                .setIncarnation(-4)
                .build();
        control(
                "filters.members",
                PeerFrame.newBuilder()
                        .setFilters(FilterChanges.newBuilder()
                                .setNumber(300)
                                .addChanges(plain)
                                .addMembers(connected)
                                .addMembers(notConnected)));
        control(
                "barrier",
                PeerFrame.newBuilder()
                        .setBarrier(Barrier.newBuilder().setNumber(300).setWithFilters(true)));
        control(
                "barrierDone",
                PeerFrame.newBuilder().setBarrierDone(BarrierDone.newBuilder().setNumber(300)));
        control(
                "finished",
                PeerFrame.newBuilder()
                        .setFinished(FinishedTokens.newBuilder()
                                .addTokens(FinishedToken.newBuilder()
                                        .setOrigin("origin")
                                        .setNumber(-4))
                                .addTokens(FinishedToken.newBuilder()
                                        .setOrigin("other")
                                        .setNumber(300))));
        control(
                "groupAnswer",
                PeerFrame.newBuilder().setGroupAnswer(GroupAnswer.newBuilder().setFrame(300)));
        control(
                "groupAnswer.declined",
                PeerFrame.newBuilder()
                        .setGroupAnswer(GroupAnswer.newBuilder().setFrame(300).addAllDeclined(List.of(0, 300))));
        control(
                "groupAnswer.refused",
                PeerFrame.newBuilder()
                        .setGroupAnswer(GroupAnswer.newBuilder().setFrame(300).setRefused(true)));
        control(
                "choiceQuestion.byView",
                PeerFrame.newBuilder()
                        .setChoiceQuestion(ChoiceQuestion.newBuilder()
                                .setNumber(300)
                                .setOrigin("origin")
                                .setTokenNumber(-4)
                                .setViewRevision(300)));
        control(
                "choiceQuestion",
                PeerFrame.newBuilder()
                        .setChoiceQuestion(ChoiceQuestion.newBuilder()
                                .setNumber(300)
                                .setOrigin("origin")
                                .setTokenNumber(-4)));
        control(
                "choiceAnswer",
                PeerFrame.newBuilder()
                        .setChoiceAnswer(ChoiceAnswer.newBuilder()
                                .setNumber(300)
                                .addChoices(Choice.newBuilder().setFilter("$share/g/a"))
                                .addChoices(Choice.newBuilder()
                                        .setFilter("$share/h/a")
                                        .setStored(StoredMember.newBuilder()
                                                .setClientId("c")
                                                .setIncarnation(5)))
                                .addChoices(Choice.newBuilder()
                                        .setFilter("$share/i/a")
                                        .setNode(NodeMembers.newBuilder()
                                                .setNodeId("third")
                                                .setIncarnation(7)))
                                .setMore(true)));
        control(
                "serving",
                PeerFrame.newBuilder().setServing(Serving.newBuilder().setSince(300)));
        control(
                "stickyChoices",
                PeerFrame.newBuilder()
                        .setStickyChoices(StickyChoices.newBuilder()
                                .addChoices(StickyChoice.newBuilder()
                                        .setTenant("acme")
                                        .setFilter("$share/g/a")
                                        .setStored(StoredMember.newBuilder()
                                                .setClientId("c")
                                                .setIncarnation(5)))
                                .addChoices(StickyChoice.newBuilder()
                                        .setTenant("default")
                                        .setFilter("$queue/a")
                                        .setNodeId("third"))));
        control("serving.not", PeerFrame.newBuilder().setServing(Serving.newBuilder()));
    }

    @Test
    void framesAreWhatTheyWere() throws Exception {
        all();
        CORPUS.assertHasExactly(frames);
    }

    /** Checks each field too: a field lost in decoding would be missing in the re-encoded frame. */
    @Test
    void recordedFramesAreUnderstood() throws Exception {
        Set<PeerFrame.KindCase> kinds = EnumSet.of(PeerFrame.KindCase.KIND_NOT_SET);
        for (Map.Entry<String, byte[]> frame : CORPUS.recorded().entrySet()) {
            byte[] bytes = frame.getValue();
            if (frame.getKey().startsWith(LIVE)) {
                assertThat(again(LiveFrame.decode(VERSION, bytes, NOW_MILLIS)))
                        .as(frame.getKey())
                        .isEqualTo(bytes);
            } else {
                PeerFrame decoded = ControlFrames.decode(VERSION, bytes);
                assertThat(decoded.getUnknownFields().asMap()).isEmpty();
                assertThat(ControlFrames.encode(decoded)).as(frame.getKey()).isEqualTo(bytes);
                kinds.add(decoded.getKindCase());
            }
        }
        assertThat(kinds)
                .as("the corpus has a frame of each kind")
                .containsExactlyInAnyOrder(PeerFrame.KindCase.values());
    }

    private static byte[] again(LiveFrame frame) {
        ClientInfo publisher =
                new ClientInfo(frame.tenant(), frame.publisher(), null, "elsewhere", frame.protocolLevel());
        return LiveFrame.encode(
                VERSION,
                publisher,
                frame.message(),
                frame.token(),
                NOW_MILLIS,
                frame.isForPlain(),
                frame.groups(),
                frame.number(),
                frame.servingSince(),
                frame.asked());
    }

    @Test
    void fieldsThatAreNotKnownAreLeftUnreadAndKindsAreNot() throws Exception {
        byte[] serving = CORPUS.get("control.serving");
        assertThat(ControlFrames.decode(VERSION, withNumber(serving))
                        .getServing()
                        .getSince())
                .isEqualTo(300);
        byte[] unknown = withNumber(new byte[] {ControlFrames.TYPE});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ControlFrames.decode(VERSION, unknown))
                .withMessageContaining("version 1");
        assertThatIllegalArgumentException()
                .as("a frame of a kind that a later version adds")
                .isThrownBy(() -> ControlFrames.decode(VERSION - 1, serving));
    }

    /** Adds a field that this release does not know after a frame. */
    private static byte[] withNumber(byte[] frame) {
        byte[] longer = Arrays.copyOf(frame, frame.length + 3);
        longer[frame.length] = (byte) 0xf8; // field 31, a number
        longer[frame.length + 1] = 1;
        longer[frame.length + 2] = 77;
        return longer;
    }

    @Test
    void aLiveFrameOfAnotherVersionThanAgreedIsRefused() throws Exception {
        byte[] plain = CORPUS.get("live.plain");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LiveFrame.decode(2, plain, NOW_MILLIS))
                .withMessageContaining("version 1 and not 2");
    }
}
