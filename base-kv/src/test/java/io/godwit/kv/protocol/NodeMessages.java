package io.godwit.kv.protocol;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.godwit.kv.protocol.legacy.LegacyCalls;
import io.godwit.kv.protocol.legacy.LegacyQuestions;
import io.godwit.kv.protocol.legacy.LegacySnapshots;
import io.godwit.kv.wire.ActionEnd;
import io.godwit.kv.wire.ActionRequest;
import io.godwit.kv.wire.ActionResult;
import io.godwit.kv.wire.Call;
import io.godwit.kv.wire.CallAnswer;
import io.godwit.kv.wire.CallEnd;
import io.godwit.kv.wire.CallHello;
import io.godwit.kv.wire.CallKind;
import io.godwit.kv.wire.CallRequest;
import io.godwit.kv.wire.DescriptionMessage;
import io.godwit.kv.wire.Done;
import io.godwit.kv.wire.Drain;
import io.godwit.kv.wire.FactsMessage;
import io.godwit.kv.wire.HintMessage;
import io.godwit.kv.wire.LeaderAction;
import io.godwit.kv.wire.LeadingMessage;
import io.godwit.kv.wire.MergeAction;
import io.godwit.kv.wire.NodeAnswer;
import io.godwit.kv.wire.NodeQuestion;
import io.godwit.kv.wire.NodeQuestion.QuestionCase;
import io.godwit.kv.wire.RangeName;
import io.godwit.kv.wire.ReplicaAction;
import io.godwit.kv.wire.ReplicaMessage;
import io.godwit.kv.wire.ReplicaStep;
import io.godwit.kv.wire.ReportMessage;
import io.godwit.kv.wire.ResetVoters;
import io.godwit.kv.wire.SnapshotBytes;
import io.godwit.kv.wire.SnapshotFile;
import io.godwit.kv.wire.SnapshotListing;
import io.godwit.kv.wire.SnapshotPart;
import io.godwit.kv.wire.SnapshotRequest;
import io.godwit.kv.wire.SplitAction;
import io.godwit.kv.wire.StatusMessage;
import io.godwit.kv.wire.StoreReport;
import io.godwit.kv.wire.TakeOver;
import io.godwit.kv.wire.VotersMessage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** A message of every kind between nodes, with all fields, for each version. */
public final class NodeMessages {
    private final int version;
    private final Map<String, Sample<?>> samples = new TreeMap<>();

    /** A message and its form in a version. */
    public record Sample<M extends MessageLite>(WireCodec<M> codec, M message) {
        public byte[] encoded() {
            return codec.encode(message);
        }

        public M decoded(byte[] encoded) throws IOException {
            return codec.decode(encoded);
        }
    }

    private NodeMessages(int version) {
        this.version = version;
    }

    /** By name. */
    public static Map<String, Sample<?>> of(int version) {
        NodeMessages all = new NodeMessages(version);
        all.addCalls();
        all.addQuestions();
        all.addActions();
        all.addAnswers();
        all.addSnapshots();
        return all.samples;
    }

    private <M extends MessageLite> WireCodec<M> form(WireCodec<M> legacy, WireCodec<M> protobuf) {
        return version == 1 ? legacy : protobuf;
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    // --- calls

    private void addCalls() {
        request(
                "hello",
                CallRequest.newBuilder()
                        .setHello(CallHello.newBuilder()
                                .setVersion(version)
                                .setClusterId("the-cluster")
                                .setStore("inbox")
                                .setCaller("node-a")
                                .setIncarnation(7)
                                .setStream(3)));
        call("mutate", CallKind.CALL_KIND_MUTATE, 11);
        call("relieve", CallKind.CALL_KIND_RELIEVE, 12);
        call("query", CallKind.CALL_KIND_QUERY, 13);
        call("interval", CallKind.CALL_KIND_QUERY_INTERVAL, 14);
        call("endless", CallKind.CALL_KIND_QUERY_INTERVAL, 15);
        for (CallEnd end : CallEnd.values()) {
            if (end != CallEnd.UNRECOGNIZED && end != CallEnd.CALL_END_UNSPECIFIED) {
                reply(end);
            }
        }
    }

    private void request(String name, CallRequest.Builder request) {
        WireCodec<CallRequest> protobuf = new ProtobufCodec<>(CallRequest.parser());
        samples.put(name, new Sample<>(form(LegacyCalls.REQUESTS, protobuf), request.build()));
    }

    private void call(String name, CallKind kind, long number) {
        Call.Builder call = Call.newBuilder()
                .setKind(kind)
                .setNumber(number)
                .setRangeId(5)
                .setTerm(6)
                .setFence(7)
                .setMillisLeft(kind == CallKind.CALL_KIND_RELIEVE ? -3 : 900)
                .setKey(bytes("key"))
                .setPayload(bytes("payload"));
        if (name.equals("interval")) {
            call.setEnd(bytes("last"));
        }
        request(name, CallRequest.newBuilder().setCall(call));
    }

    private void reply(CallEnd end) {
        String name = end.name().replace("CALL_END_", "");
        boolean isDone = end == CallEnd.CALL_END_DONE;
        CallAnswer.Builder answer = CallAnswer.newBuilder().setNumber(11).setOutcome(end);
        CallAnswer whole = (isDone ? answer.setValue(bytes("value")) : answer.setDetail(name + ": why")).build();
        WireCodec<CallAnswer> protobuf = new ProtobufCodec<>(CallAnswer.parser());
        samples.put("reply-" + (isDone ? "done" : name), new Sample<>(form(LegacyCalls.ANSWERS, protobuf), whole));
    }

    // --- questions

    private void addQuestions() {
        question("exchange", NodeQuestion.newBuilder().setExchange(report()));
        question("note-facts", NodeQuestion.newBuilder().setNoteFacts(facts()));
        question("drain", NodeQuestion.newBuilder().setDrain(Drain.newBuilder().setIsToGo(true)));
        RangeName name = RangeName.newBuilder().setStore("inbox").setRangeId(7).build();
        question("describe-range", NodeQuestion.newBuilder().setDescribeRange(name));
        question("has-ended", NodeQuestion.newBuilder().setHasEnded(name));
        question("create-replica", NodeQuestion.newBuilder().setCreateReplica(description()));
        question(
                "create-only-replica",
                NodeQuestion.newBuilder()
                        .setCreateReplica(DescriptionMessage.newBuilder()
                                .setEpoch(9)
                                .setStore("inbox")
                                .setRangeId(7)
                                .setCreatedEpoch(4)
                                .addVoters("node-a")));
        question(
                "reset-voters",
                NodeQuestion.newBuilder()
                        .setResetVoters(ResetVoters.newBuilder()
                                .setStore("inbox")
                                .setRangeId(7)
                                .addVoters("node-a")
                                .addVoters("node-b")));
        question(
                "take-over",
                NodeQuestion.newBuilder()
                        .setTakeOver(TakeOver.newBuilder()
                                .setLeader("node-b")
                                .addGroups("inbox-7")
                                .addGroups("inbox-8")));
    }

    private void question(String name, NodeQuestion.Builder question) {
        WireCodec<NodeQuestion> protobuf = new ProtobufCodec<>(NodeQuestion.parser());
        question.setVersion(version).setClusterId("the-cluster").setAsker("node-a");
        samples.put(name, new Sample<>(form(LegacyQuestions.QUESTIONS, protobuf), question.build()));
    }

    private static DescriptionMessage description() {
        return DescriptionMessage.newBuilder()
                .setEpoch(9)
                .setStore("inbox")
                .setRangeId(7)
                .setCreatedEpoch(4)
                .setStart(bytes("b"))
                .setEnd(bytes("y"))
                .addVoters("node-a")
                .addVoters("node-b")
                .setJoinedEpoch(6)
                .build();
    }

    private static FactsMessage facts() {
        return FactsMessage.newBuilder()
                .addVoters(VotersMessage.newBuilder()
                        .setStore("inbox")
                        .setRevision(1)
                        .setCount(3)
                        .setHighest(3))
                .addForgotten(new UUID(1, 2).toString())
                .build();
    }

    private static ReportMessage report() {
        LeadingMessage leading = LeadingMessage.newBuilder()
                .setTerm(3)
                .setFence(5)
                .setSizeBytes(1 << 20)
                .setMeasuredMillis(10_000)
                .setOperationsPerSecond(5)
                .setPeakOperationsPerSecond(7.5)
                .setOperationNanos(1_000)
                .setHint(HintMessage.newBuilder().setKey(bytes("k")).setShareBelow(0.25))
                .setChange("SPLIT")
                .setStableMillis(12_345)
                .build();
        ReplicaMessage rich = ReplicaMessage.newBuilder()
                .setRangeId(7)
                .setEpoch(9)
                .setStart(bytes("b"))
                .setEnd(bytes("y"))
                .addAllVoters(List.of("a", "b"))
                .addLearners("c")
                .setLeader("a")
                .setLastIndex(1_000)
                .setCreatedEpoch(4)
                .setFault("a fault")
                .setIsReplaceable(true)
                .setLeading(leading)
                .build();
        ReplicaMessage plain = ReplicaMessage.newBuilder()
                .setRangeId(8)
                .setEpoch(1)
                .setStart(bytes("y"))
                .addVoters("a")
                .build();
        return ReportMessage.newBuilder()
                .setStoreId("a")
                .setIncarnation(2)
                .setRevision(3)
                .setStatus(StatusMessage.newBuilder()
                        .setIsDraining(true)
                        .setCores(2)
                        .setCpuLoad(0.5)
                        .setDiskTotalBytes(100)
                        .setDiskFreeBytes(50))
                .addStores(StoreReport.newBuilder()
                        .setStore("inbox")
                        .addReplicas(rich)
                        .addReplicas(plain))
                .setFacts(facts())
                .build();
    }

    private void addActions() {
        action(
                "split",
                ActionRequest.newBuilder().setSplit(SplitAction.newBuilder().setKey(bytes("k"))));
        action("halve", ActionRequest.newBuilder().setSplit(SplitAction.getDefaultInstance()));
        action(
                "merge",
                ActionRequest.newBuilder()
                        .setMerge(MergeAction.newBuilder().setRightId(8).setRightEpoch(10)));
        action(
                "leader",
                ActionRequest.newBuilder().setLeader(LeaderAction.newBuilder().setStoreId("node-b")));
        for (ReplicaStep step : ReplicaStep.values()) {
            if (step != ReplicaStep.UNRECOGNIZED && step != ReplicaStep.REPLICA_STEP_UNSPECIFIED) {
                ReplicaAction.Builder change =
                        ReplicaAction.newBuilder().setStep(step).setStoreId("node-b");
                action(
                        "replica-" + step.name().replace("REPLICA_STEP_", ""),
                        ActionRequest.newBuilder().setReplica(change));
            }
        }
    }

    private void action(String name, ActionRequest.Builder action) {
        action.setStore("inbox").setMillisLeft(900).setRangeId(7).setEpoch(9).setReason("why");
        question(name, NodeQuestion.newBuilder().setCarryOut(action));
    }

    // --- answers

    private void addAnswers() {
        answer("exchange", QuestionCase.EXCHANGE, NodeAnswer.newBuilder().setReport(report()));
        answer(
                "description",
                QuestionCase.DESCRIBE_RANGE,
                NodeAnswer.newBuilder().setDescription(description()));
        answer("ended", QuestionCase.HAS_ENDED, NodeAnswer.newBuilder().setHasEnded(true));
        answer("done", QuestionCase.DRAIN, NodeAnswer.newBuilder().setDone(Done.getDefaultInstance()));
        answer("failure", QuestionCase.DRAIN, NodeAnswer.newBuilder().setFailure("why"));
        for (ActionEnd end : ActionEnd.values()) {
            if (end != ActionEnd.UNRECOGNIZED && end != ActionEnd.ACTION_END_UNSPECIFIED) {
                ActionResult.Builder result =
                        ActionResult.newBuilder().setOutcome(end).setDetail("detail");
                answer(
                        "result-" + end.name().replace("ACTION_END_", ""),
                        QuestionCase.CARRY_OUT,
                        NodeAnswer.newBuilder().setResult(result));
            }
        }
    }

    private void answer(String name, QuestionCase question, NodeAnswer.Builder answer) {
        WireCodec<NodeAnswer> protobuf = new ProtobufCodec<>(NodeAnswer.parser());
        samples.put(
                "answer-" + name, new Sample<>(form(LegacyQuestions.answersTo(question), protobuf), answer.build()));
    }

    // --- snapshots

    private void addSnapshots() {
        SnapshotRequest name = SnapshotRequest.newBuilder()
                .setGroup("inbox-7")
                .setIndex(12_345)
                .build();
        snapshot("list", name, form(LegacySnapshots.REQUESTS, new ProtobufCodec<>(SnapshotRequest.parser())));
        SnapshotListing listing = SnapshotListing.newBuilder()
                .setNotes(bytes("abc"))
                .addFiles(SnapshotFile.newBuilder().setName("SEAL"))
                .addFiles(SnapshotFile.newBuilder().setName("db/CURRENT").setSize(16))
                .build();
        snapshot("listing", listing, form(LegacySnapshots.LISTINGS, new ProtobufCodec<>(SnapshotListing.parser())));
        SnapshotPart part = SnapshotPart.newBuilder()
                .setSnapshot(name)
                .setFile("db/000012.sst")
                .setOffset(1L << 40)
                .setLength(4)
                .build();
        snapshot("part", part, form(LegacySnapshots.PARTS, new ProtobufCodec<>(SnapshotPart.parser())));
        SnapshotBytes bytes = SnapshotBytes.newBuilder()
                .setChecksum(0x29308cf4)
                .setContent(ByteString.copyFrom(new byte[] {1, 2, 3, 4}))
                .build();
        snapshot("bytes", bytes, form(LegacySnapshots.BYTES, new ProtobufCodec<>(SnapshotBytes.parser())));
    }

    private <M extends MessageLite> void snapshot(String name, M message, WireCodec<M> codec) {
        samples.put("snapshot-" + name, new Sample<>(codec, message));
    }
}
