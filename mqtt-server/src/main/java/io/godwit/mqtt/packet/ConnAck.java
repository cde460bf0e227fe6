package io.godwit.mqtt.packet;

import io.godwit.mqtt.packet.field.ReasonCode;
import io.godwit.plugin.message.UserProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a CONNECT. Few of its properties are set at a time: build it with {@link #builder}.
 *
 * @param sessionPresent false when the code is an error [MQTT5-3.2.2-6]
 * @param sessionExpirySeconds -1 absent (the client's own value holds), else 0 to 4,294,967,295
 * @param receiveMaximum -1 absent (65,535), else 1 to 65,535
 * @param maximumQos -1 absent (2), else 0 or 1
 * @param retainAvailable true when absent
 * @param maximumPacketSize -1 absent (no limit), else 1 to 4,294,967,295
 * @param assignedClientId null when the client sent its own
 * @param topicAliasMaximum -1 absent (0), else 0 to 65,535
 * @param wildcardSubscriptionAvailable true when absent
 * @param subscriptionIdentifiersAvailable true when absent
 * @param sharedSubscriptionAvailable true when absent
 * @param serverKeepAliveSeconds -1 absent (the client's own value holds), else 0 to 65,535
 */
@SuppressWarnings("ArrayRecordComponent") // shared by contract, compared nowhere
public record ConnAck(
        boolean sessionPresent,
        ReasonCode reasonCode,
        long sessionExpirySeconds,
        int receiveMaximum,
        int maximumQos,
        boolean retainAvailable,
        long maximumPacketSize,
        @Nullable String assignedClientId,
        int topicAliasMaximum,
        @Nullable String reasonString,
        List<UserProperty> userProperties,
        boolean wildcardSubscriptionAvailable,
        boolean subscriptionIdentifiersAvailable,
        boolean sharedSubscriptionAvailable,
        int serverKeepAliveSeconds,
        @Nullable String responseInformation,
        @Nullable String serverReference,
        @Nullable String authenticationMethod,
        byte @Nullable [] authenticationData)
        implements Packet {

    public ConnAck {
        userProperties = List.copyOf(userProperties);
    }

    /** A builder with every property absent. */
    public static Builder builder(boolean sessionPresent, ReasonCode reasonCode) {
        return new Builder(sessionPresent, reasonCode);
    }

    /** A refusal, with or without a text for people. */
    public static ConnAck refused(ReasonCode reasonCode, @Nullable String reasonString) {
        return builder(false, reasonCode).reasonString(reasonString).build();
    }

    /** Collects the properties of one CONNACK. Not thread safe. */
    public static final class Builder {
        private final boolean sessionPresent;
        private final ReasonCode reasonCode;
        private long sessionExpirySeconds = -1;
        private int receiveMaximum = -1;
        private int maximumQos = -1;
        private boolean retainAvailable = true;
        private long maximumPacketSize = -1;
        private @Nullable String assignedClientId;
        private int topicAliasMaximum = -1;
        private @Nullable String reasonString;
        private List<UserProperty> userProperties = List.of();
        private boolean wildcardSubscriptionAvailable = true;
        private boolean subscriptionIdentifiersAvailable = true;
        private boolean sharedSubscriptionAvailable = true;
        private int serverKeepAliveSeconds = -1;
        private @Nullable String responseInformation;
        private @Nullable String serverReference;
        private @Nullable String authenticationMethod;
        private byte @Nullable [] authenticationData;

        private Builder(boolean sessionPresent, ReasonCode reasonCode) {
            this.sessionPresent = sessionPresent;
            this.reasonCode = reasonCode;
        }

        public Builder sessionExpirySeconds(long seconds) {
            sessionExpirySeconds = seconds;
            return this;
        }

        public Builder receiveMaximum(int maximum) {
            receiveMaximum = maximum;
            return this;
        }

        public Builder maximumQos(int qos) {
            maximumQos = qos;
            return this;
        }

        public Builder retainAvailable(boolean available) {
            retainAvailable = available;
            return this;
        }

        public Builder maximumPacketSize(long bytes) {
            maximumPacketSize = bytes;
            return this;
        }

        public Builder assignedClientId(@Nullable String clientId) {
            assignedClientId = clientId;
            return this;
        }

        public Builder topicAliasMaximum(int maximum) {
            topicAliasMaximum = maximum;
            return this;
        }

        public Builder reasonString(@Nullable String text) {
            reasonString = text;
            return this;
        }

        public Builder userProperties(List<UserProperty> properties) {
            userProperties = properties;
            return this;
        }

        public Builder wildcardSubscriptionAvailable(boolean available) {
            wildcardSubscriptionAvailable = available;
            return this;
        }

        public Builder subscriptionIdentifiersAvailable(boolean available) {
            subscriptionIdentifiersAvailable = available;
            return this;
        }

        public Builder sharedSubscriptionAvailable(boolean available) {
            sharedSubscriptionAvailable = available;
            return this;
        }

        public Builder serverKeepAliveSeconds(int seconds) {
            serverKeepAliveSeconds = seconds;
            return this;
        }

        public Builder responseInformation(@Nullable String information) {
            responseInformation = information;
            return this;
        }

        public Builder serverReference(@Nullable String reference) {
            serverReference = reference;
            return this;
        }

        public Builder authentication(@Nullable String method, byte @Nullable [] data) {
            authenticationMethod = method;
            authenticationData = data;
            return this;
        }

        public ConnAck build() {
            return new ConnAck(
                    sessionPresent,
                    reasonCode,
                    sessionExpirySeconds,
                    receiveMaximum,
                    maximumQos,
                    retainAvailable,
                    maximumPacketSize,
                    assignedClientId,
                    topicAliasMaximum,
                    reasonString,
                    userProperties,
                    wildcardSubscriptionAvailable,
                    subscriptionIdentifiersAvailable,
                    sharedSubscriptionAvailable,
                    serverKeepAliveSeconds,
                    responseInformation,
                    serverReference,
                    authenticationMethod,
                    authenticationData);
        }
    }
}
