package io.godwit.inbox.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.link.Lane;
import io.godwit.cluster.link.Peer;
import io.godwit.inbox.session.frame.DirectoryFrames;
import io.godwit.inbox.session.frame.EntryReader;
import io.godwit.inbox.session.frame.PeerChannel;
import io.godwit.inbox.session.port.BadFrameException;
import io.godwit.inbox.session.port.EdgePort;
import io.godwit.inbox.session.port.Grant;
import io.godwit.inbox.session.port.IdKey;
import io.godwit.inbox.wire.DirectoryFrame;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.testing.Corpus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The recorded frames of version 1: nodes of other releases send and expect them byte by byte. When a frame is added,
 * {@code -Dgodwit.corpus.write=FILE} writes all of them to that file; existing ones must not change.
 */
class DirectoryCorpusTest {
    private static final Corpus CORPUS = Corpus.of(DirectoryCorpusTest.class, "/directory-frames-v1.properties");
    private static final IdKey KEY = new IdKey(TenantId.DEFAULT, new ClientId("c"));

    private final Map<String, byte[]> frames = new TreeMap<>();

    /** Keeps what is sent. */
    private static final class Recorder implements Peer {
        private final List<byte[]> sent = new ArrayList<>();

        @Override
        public String nodeId() {
            return "peer";
        }

        @Override
        public long incarnation() {
            return 1;
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public int maxFrameBytes() {
            return 16 << 20;
        }

        @Override
        public void send(Lane lane, byte[] frame, Confirmation confirmation) {
            sent.add(frame);
        }

        @Override
        public void send(Lane lane, byte[] frame) {
            sent.add(frame);
        }

        @Override
        public void send(Lane lane, byte[] frame, @Nullable Object order, @Nullable Confirmation confirmation) {
            sent.add(frame);
        }

        @Override
        public boolean isWritable(Lane lane) {
            return true;
        }

        @Override
        public boolean isWritable(Lane lane, int frameBytes) {
            return true;
        }

        @Override
        public void abandon(String why) {
            throw new AssertionError(why);
        }
    }

    /** One frame of each kind of entry, and one of all kinds. */
    private void all() {
        frames.put("hello", DirectoryFrames.hello(1));
        Map<String, Consumer<PeerChannel>> entries = new TreeMap<>();
        entries.put("enrol", PeerChannel::enrol);
        entries.put("granted", channel -> channel.granted(300, 7, false));
        entries.put("granted.giveUp", channel -> channel.granted(300, 7, true));
        entries.put("refused.otherUser", channel -> channel.refused(300, EdgePort.Refusal.OTHER_USER));
        entries.put("refused.busy", channel -> channel.refused(300, EdgePort.Refusal.BUSY));
        entries.put("giveUp", channel -> channel.giveUp(300));
        entries.put("begin", PeerChannel::begin);
        entries.put("acquire", channel -> channel.acquire(300, KEY, null, false));
        entries.put("acquire.sameUser", channel -> channel.acquire(300, KEY, "user", true));
        entries.put("hold", channel -> channel.hold(300, KEY, "user", new Grant(5, 7)));
        entries.put("hold.noUser", channel -> channel.hold(300, KEY, null, new Grant(5, 7)));
        entries.put("release", channel -> channel.release(300));
        entries.put("done", PeerChannel::done);
        entries.forEach((name, entry) -> frames.put(name, frame(List.of(entry))));
        frames.put("all", frame(List.copyOf(entries.values())));
    }

    private static byte[] frame(List<Consumer<PeerChannel>> entries) {
        Recorder peer = new Recorder();
        PeerChannel channel = new PeerChannel(peer, 9, told -> {});
        entries.forEach(entry -> entry.accept(channel));
        channel.flush();
        assertThat(peer.sent).hasSize(2);
        return peer.sent.get(1);
    }

    @Test
    void framesAreWhatTheyWere() throws Exception {
        all();
        CORPUS.assertHasExactly(frames);
    }

    /** Checks each field too: a field lost in decoding would be missing in the re-encoded frame. */
    @Test
    void recordedFramesAreUnderstood() throws Exception {
        for (Map.Entry<String, byte[]> frame : CORPUS.recorded().entrySet()) {
            byte[] bytes = frame.getValue();
            DirectoryFrame decoded = DirectoryFrames.decode(bytes);
            if (decoded.hasHello()) {
                DirectoryFrames.check(decoded.getHello(), 1);
            } else {
                assertThat(decoded.getRevision()).isEqualTo(9);
                assertThat(again(decoded)).as(frame.getKey()).isEqualTo(bytes);
            }
        }
    }

    private static byte[] again(DirectoryFrame frame) throws Exception {
        Recorder peer = new Recorder();
        PeerChannel channel = new PeerChannel(peer, 9, told -> {});
        EntryReader.read(1, frame, new Forward(channel));
        channel.flush();
        return peer.sent.get(1);
    }

    /** A part of a frame is refused, or is a valid frame with fewer entries; nothing else. */
    @Test
    void partsOfFramesDoNoHarm() throws Exception {
        for (byte[] bytes : CORPUS.recorded().values()) {
            for (int length = 0; length < bytes.length; length++) {
                byte[] part = Arrays.copyOf(bytes, length);
                try {
                    EntryReader.read(
                            1,
                            DirectoryFrames.decode(part),
                            new Forward(new PeerChannel(new Recorder(), 9, told -> {})));
                } catch (BadFrameException | IllegalArgumentException expected) {
                    assertThat(expected).hasMessageNotContaining("null");
                }
            }
        }
    }

    @Test
    void otherFramesAreRefused() {
        assertThatThrownBy(() -> DirectoryFrames.decode(new byte[0])).isInstanceOf(BadFrameException.class);
        assertThatThrownBy(() -> DirectoryFrames.decode(new byte[] {1})).isInstanceOf(BadFrameException.class);
        byte[] large = new byte[DirectoryFrames.MAX_BYTES + 1];
        large[0] = DirectoryFrames.TYPE;
        assertThatThrownBy(() -> DirectoryFrames.decode(large)).isInstanceOf(BadFrameException.class);
    }

    private record Forward(PeerChannel to) implements EntryReader.Entries {
        @Override
        public void enrol() {
            to.enrol();
        }

        @Override
        public void granted(long number, long counter, boolean giveUp) {
            to.granted(number, counter, giveUp);
        }

        @Override
        public void giveUp(long number) {
            to.giveUp(number);
        }

        @Override
        public void refused(long number, EdgePort.Refusal why) {
            to.refused(number, why);
        }

        @Override
        public void begin() {
            to.begin();
        }

        @Override
        public void acquire(long number, IdKey key, @Nullable String userName, boolean sameUserOnly) {
            to.acquire(number, key, userName, sameUserOnly);
        }

        @Override
        public void hold(long number, IdKey key, @Nullable String userName, Grant grant) {
            to.hold(number, key, userName, grant);
        }

        @Override
        public void release(long number) {
            to.release(number);
        }

        @Override
        public void done() {
            to.done();
        }
    }
}
