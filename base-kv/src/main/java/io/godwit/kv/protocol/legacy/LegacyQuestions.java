package io.godwit.kv.protocol.legacy;

import io.godwit.kv.protocol.WireCodec;
import io.godwit.kv.wire.Done;
import io.godwit.kv.wire.Drain;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Single questions between nodes, {@code godwit.Node/ask}.
 *
 * <pre>
 * question  byte version = 1 | utf cluster id | utf asker | byte kind
 *   1 exchange        report
 *   2 create replica  description
 *   3 describe range  name
 *   4 carry out       request of an action
 *   5 drain           boolean
 *   6 reset voters    reset
 *   7 has ended       name
 *   8 take over       take over
 *   9 note facts      facts
 * answer    byte 0 | report, description, result of an action or boolean; nothing for other questions
 *           byte 1 | utf why it failed
 * </pre>
 */
public final class LegacyQuestions {
    private static final int OK = 0;
    private static final int FAILED = 1;

    public static final WireCodec<NodeQuestion> QUESTIONS = new Questions();

    private LegacyQuestions() {}

    /** The answers to one kind of question, which do not say what they answer. */
    public static WireCodec<NodeAnswer> answersTo(QuestionCase question) {
        return new Answers(question);
    }

    private static final class Questions implements WireCodec<NodeQuestion> {
        @Override
        public byte[] encode(NodeQuestion question) {
            return LegacyBytes.write(1_024, out -> {
                out.writeByte(LegacyBytes.VERSION);
                out.writeUTF(question.getClusterId());
                out.writeUTF(question.getAsker());
                write(out, question);
            });
        }

        private static void write(DataOutputStream out, NodeQuestion question) throws IOException {
            out.writeByte(numberOf(question.getQuestionCase()));
            switch (question.getQuestionCase()) {
                case EXCHANGE -> LegacyReports.write(out, question.getExchange());
                case CREATE_REPLICA -> LegacyRanges.write(out, question.getCreateReplica());
                case DESCRIBE_RANGE -> LegacyRanges.write(out, question.getDescribeRange());
                case CARRY_OUT -> LegacyActions.write(out, question.getCarryOut());
                case DRAIN -> out.writeBoolean(question.getDrain().getIsToGo());
                case RESET_VOTERS -> LegacyRanges.write(out, question.getResetVoters());
                case HAS_ENDED -> LegacyRanges.write(out, question.getHasEnded());
                case TAKE_OVER -> LegacyRanges.write(out, question.getTakeOver());
                case NOTE_FACTS -> LegacyReports.write(out, question.getNoteFacts());
                case QUESTION_NOT_SET -> {}
            }
        }

        private static int numberOf(QuestionCase question) {
            return switch (question) {
                case EXCHANGE -> 1;
                case CREATE_REPLICA -> 2;
                case DESCRIBE_RANGE -> 3;
                case CARRY_OUT -> 4;
                case DRAIN -> 5;
                case RESET_VOTERS -> 6;
                case HAS_ENDED -> 7;
                case TAKE_OVER -> 8;
                case NOTE_FACTS -> 9;
                case QUESTION_NOT_SET -> 0;
            };
        }

        @Override
        public NodeQuestion decode(byte[] encoded) throws IOException {
            return LegacyBytes.read(encoded, in -> {
                LegacyBytes.version(in, "question");
                NodeQuestion.Builder question = NodeQuestion.newBuilder()
                        .setVersion(LegacyBytes.VERSION)
                        .setClusterId(in.readUTF())
                        .setAsker(in.readUTF());
                read(question, in);
                return question.build();
            });
        }

        private static void read(NodeQuestion.Builder question, DataInputStream in) throws IOException {
            switch (in.readByte()) {
                case 1 -> question.setExchange(LegacyReports.report(in));
                case 2 -> question.setCreateReplica(LegacyRanges.description(in));
                case 3 -> question.setDescribeRange(LegacyRanges.name(in));
                case 4 -> question.setCarryOut(LegacyActions.request(in));
                case 5 -> question.setDrain(Drain.newBuilder().setIsToGo(isTrue(in)));
                case 6 -> question.setResetVoters(LegacyRanges.reset(in));
                case 7 -> question.setHasEnded(LegacyRanges.name(in));
                case 8 -> question.setTakeOver(LegacyRanges.takeOver(in));
                case 9 -> question.setNoteFacts(LegacyReports.facts(in));
                default -> {} // no question, which is refused
            }
        }
    }

    /** Whether the next byte, if there is one, is not 0. */
    private static boolean isTrue(DataInputStream in) throws IOException {
        return in.read() > 0;
    }

    private record Answers(QuestionCase question) implements WireCodec<NodeAnswer> {
        @Override
        public byte[] encode(NodeAnswer answer) {
            return LegacyBytes.write(1_024, out -> {
                out.writeByte(answer.hasFailure() ? FAILED : OK);
                switch (answer.getOutcomeCase()) {
                    case FAILURE -> out.writeUTF(answer.getFailure());
                    case REPORT -> LegacyReports.write(out, answer.getReport());
                    case DESCRIPTION -> LegacyRanges.write(out, answer.getDescription());
                    case RESULT -> LegacyActions.write(out, answer.getResult());
                    case HAS_ENDED -> out.writeBoolean(answer.getHasEnded());
                    case DONE, OUTCOME_NOT_SET -> {}
                }
            });
        }

        @Override
        public NodeAnswer decode(byte[] encoded) throws IOException {
            return LegacyBytes.read(encoded, in -> {
                NodeAnswer.Builder answer = NodeAnswer.newBuilder();
                if (in.readByte() != OK) {
                    return answer.setFailure(in.readUTF()).build();
                }
                switch (question) {
                    case EXCHANGE -> answer.setReport(LegacyReports.report(in));
                    case DESCRIBE_RANGE -> answer.setDescription(LegacyRanges.description(in));
                    case CARRY_OUT -> answer.setResult(LegacyActions.result(in));
                    case HAS_ENDED -> answer.setHasEnded(isTrue(in));
                    case CREATE_REPLICA, DRAIN, RESET_VOTERS, TAKE_OVER, NOTE_FACTS, QUESTION_NOT_SET ->
                        answer.setDone(Done.getDefaultInstance());
                }
                return answer.build();
            });
        }
    }
}
