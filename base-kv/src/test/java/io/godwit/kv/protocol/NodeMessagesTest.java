package io.godwit.kv.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.kv.protocol.NodeMessages.Sample;
import io.godwit.kv.protocol.legacy.LegacyCalls;
import io.godwit.kv.protocol.legacy.LegacyQuestions;
import io.godwit.kv.wire.CallRequest;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.godwit.testing.Corpus;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The messages between nodes, compared with recorded ones: nodes of other releases send and expect exactly these bytes.
 * Those of version 1 were written by the build of the tag {@code cluster-1}. When a message is added,
 * {@code -Dgodwit.corpus.write=FILE} writes all messages of a version to that file; existing ones must not change.
 */
class NodeMessagesTest {
    /** A report of builds that noted no facts; only read. */
    private static final String WITHOUT_FACTS = "exchange-without-facts";

    private static Corpus corpus(int version) {
        return Corpus.of(NodeMessagesTest.class, "/node-messages-v" + version + ".properties");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void messagesAreWrittenAsRecorded(int version) throws IOException {
        Map<String, byte[]> made = new TreeMap<>();
        NodeMessages.of(version).forEach((name, sample) -> made.put(name, sample.encoded()));
        if (version == 1) {
            made.put(WITHOUT_FACTS, corpus(version).get(WITHOUT_FACTS));
        }
        corpus(version).assertHasExactly(made);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void recordedMessagesAreRead(int version) throws IOException {
        Corpus corpus = corpus(version);
        for (Map.Entry<String, Sample<?>> each : NodeMessages.of(version).entrySet()) {
            assertThat((Object) each.getValue().decoded(corpus.get(each.getKey())))
                    .as(each.getKey())
                    .isEqualTo(each.getValue().message());
        }
    }

    @Test
    void aReportWithoutFactsIsRead() throws IOException {
        NodeQuestion read = LegacyQuestions.QUESTIONS.decode(corpus(1).get(WITHOUT_FACTS));
        NodeQuestion whole = (NodeQuestion)
                Objects.requireNonNull(NodeMessages.of(1).get("exchange")).message();
        NodeQuestion.Builder expected = whole.toBuilder();
        expected.getExchangeBuilder().clearFacts();
        assertThat(read).isEqualTo(expected.build());
    }

    @Test
    void thereIsAMessageOfEveryKind() {
        Set<QuestionCase> missing = EnumSet.allOf(QuestionCase.class);
        missing.remove(QuestionCase.QUESTION_NOT_SET);
        NodeMessages.of(NodeProtocol.VERSION).values().forEach(sample -> {
            if (sample.message() instanceof NodeQuestion question) {
                missing.remove(question.getQuestionCase());
            }
        });
        assertThat(missing).isEmpty();
    }

    /** Truncated, changed and random bytes are either another message or an IOException. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void damagedMessagesDoNoHarm(int version) {
        long seed = 20_261_130L + version;
        Random random = new Random(seed);
        NodeMessages.of(version).forEach((name, sample) -> {
            byte[] whole = sample.encoded();
            for (int length = 0; length < whole.length; length++) {
                read(sample, Arrays.copyOf(whole, length), name);
            }
            for (int round = 0; round < 2_000; round++) {
                byte[] changed = whole.clone();
                for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                    changed[random.nextInt(changed.length)] = (byte) random.nextInt();
                }
                read(sample, changed, name);
                byte[] noise = new byte[random.nextInt(80)];
                random.nextBytes(noise);
                read(sample, noise, name);
            }
        });
    }

    private static void read(Sample<?> sample, byte[] bytes, String name) {
        try {
            sample.decoded(bytes);
        } catch (IOException e) { // the only exception
            assertThat(e).as(name).isNotNull();
        }
    }

    /** Most messages of version 1 have no field that may be missing at the end. */
    @Test
    void truncatedMessagesOfVersionOneAreRefused() {
        Set<String> mayEndEarlier = Set.of("exchange", "answer-exchange", "drain", "answer-ended", "snapshot-bytes");
        NodeMessages.of(1).forEach((name, sample) -> {
            byte[] whole = sample.encoded();
            for (int length = 0; length < whole.length && !mayEndEarlier.contains(name); length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                assertThatThrownBy(() -> sample.decoded(cut))
                        .as("%s of %d bytes", name, length)
                        .isInstanceOf(IOException.class);
            }
        });
    }

    @Test
    void otherVersionsAndKindsOfVersionOneAreRefused() throws IOException {
        Corpus corpus = corpus(1);
        byte[] hello = corpus.get("hello").clone();
        hello[1] = 9;
        assertThatThrownBy(() -> LegacyCalls.REQUESTS.decode(hello)).hasMessage("calls of version 9, expected 1");
        byte[] call = corpus.get("mutate").clone();
        call[0] = 6;
        assertThatThrownBy(() -> LegacyCalls.REQUESTS.decode(call)).hasMessage("call of kind 6");
        byte[] question = corpus.get("drain").clone();
        question[0] = 9;
        assertThatThrownBy(() -> LegacyQuestions.QUESTIONS.decode(question))
                .hasMessage("question of version 9, expected 1");
        byte[] later = corpus.get("drain").clone();
        later[later.length - 2] = 99;
        assertThat(LegacyQuestions.QUESTIONS.decode(later).getQuestionCase())
                .as("a question of a later build, which is refused")
                .isEqualTo(QuestionCase.QUESTION_NOT_SET);
    }

    /** A later release may add fields. */
    @Test
    void unknownFieldsAreIgnoredAndUnknownKindsAreNone() throws IOException {
        byte[] later = {(byte) 0xfa, 0x3f, 1, 7}; // field 127 with one byte
        CallRequest read = new ProtobufCodec<>(CallRequest.parser()).decode(later);
        assertThat(read.getKindCase()).isEqualTo(CallRequest.KindCase.KIND_NOT_SET);
    }
}
