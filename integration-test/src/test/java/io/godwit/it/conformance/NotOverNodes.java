package io.godwit.it.conformance;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Leaves out of {@link Transport#NODES} the tests that it lists, and tells why. */
final class NotOverNodes implements ExecutionCondition {
    private static final String NO_SESSION =
            "over nodes: no session comes of the connection, so one node alone sees it";
    private static final String ENDS = "over nodes: the node of the connection alone finds the fault and ends it";
    private static final String ECHO = "over nodes: one client without a stored session talks to itself";

    /** The reason, by class and method. */
    static final Map<String, String> REASONS = reasons();

    private static Map<String, String> reasons() {
        Map<String, String> reasons = new HashMap<>();
        Set.of(
                        "ConnectConformanceTest.whatDoesNotBeginWithConnectIsClosedWithoutAWord",
                        "ConnectConformanceTest.anotherProtocolNameIsNotServedAsMqtt",
                        "Mqtt31ConformanceTest.anotherLevelUnderTheOldNameIsUnacceptable")
                .forEach(test -> reasons.put(test, NO_SESSION));
        Set.of(
                        "ConnectConformanceTest.whoBreaksTheProtocolIsToldWhyAndDisconnected",
                        "ConnectConformanceTest.aSecondConnectEndsTheConnection",
                        "ConnectConformanceTest.aPacketAboveTheServersMaximumEndsTheConnection",
                        "SharedConformanceTest.whatIsNoSharedFilterIsRefused",
                        "TopicConformanceTest.wildcardsHaveNoPlaceInATopic")
                .forEach(test -> reasons.put(test, ENDS));
        Set.of(
                        "ConnectConformanceTest.pingsAreAnswered",
                        "ConnectConformanceTest.asManyAliasesAreUsedAsTheClientAllowsAndMoreThanOfferedIsNoError",
                        "ConnectConformanceTest.withoutAnAliasMaximumNoAliasIsSent",
                        "DeliveryConformanceTest.allAliasesOfTheOfferWork",
                        "Mqtt31ConformanceTest.namesThatAreAnnouncedMayBeMissing",
                        "TopicConformanceTest.theTopicIsTheFirstFieldOfAPublish",
                        "TimedConformanceTest.aClientThatSendsSomethingOrNamedNoKeepAliveStays")
                .forEach(test -> reasons.put(test, ECHO));
        return Map.copyOf(reasons);
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return context.getTestMethod()
                .flatMap(method -> Stream.ofNullable(
                                REASONS.get(context.getRequiredTestClass().getSimpleName() + '.' + method.getName()))
                        .findFirst())
                .map(ConditionEvaluationResult::disabled)
                .orElseGet(() -> ConditionEvaluationResult.enabled("over nodes"));
    }
}
