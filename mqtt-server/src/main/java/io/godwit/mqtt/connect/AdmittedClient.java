package io.godwit.mqtt.connect;

import io.godwit.mqtt.packet.Connect;
import io.godwit.mqtt.topic.ClientTopics;
import io.godwit.plugin.client.ClientInfo;
import org.jspecify.annotations.Nullable;

/**
 * A client that was let in, whose session can be opened.
 *
 * @param packet what it asked for
 * @param client who it is, as authenticated
 * @param topics how its topics are translated
 * @param grant the auth provider's grant to it; null for none
 */
record AdmittedClient(
        Connect packet,
        ClientInfo client,
        ClientTopics topics,
        @Nullable Object grant) {}
