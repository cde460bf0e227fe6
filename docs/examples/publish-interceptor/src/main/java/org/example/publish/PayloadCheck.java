package org.example.publish;

import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.context.Meters;
import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.intercept.Interception;
import io.godwit.plugin.intercept.PublishInterceptor;
import io.godwit.plugin.intercept.PublishInterceptorFactory;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.message.MessageProperties;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Drops what is no UTF-8 below one topic, and marks the rest as text. */
public final class PayloadCheck implements PublishInterceptorFactory, Plugin {
    private String below = "";
    private int maxBytes;
    private Meters.Counter dropped;

    @Override
    public String name() {
        return "payload-check";
    }

    @Override
    public void create(PluginContext context) {
        below = context.settings().requiredText("below") + "/";
        maxBytes = (int) context.settings().bytes("maxBytes", 64 << 10, 1, 1 << 20);
        dropped = context.meters().counter("dropped", "publishes that were no text");
    }

    /** It only computes, and not for long: so much text is decoded in well under a millisecond. */
    @Override
    public boolean isNonBlocking() {
        return true;
    }

    @Override
    public PublishInterceptor create() {
        return this::check;
    }

    private Interception check(ClientInfo publisher, Message message) {
        if (!message.topic().startsWith(below)) {
            return Interception.UNCHANGED;
        }
        if (message.payload().length > maxBytes || !isText(message.payload())) {
            dropped.add(1);
            return new Interception.Dropped("the payload is no text");
        }
        MessageProperties before = message.properties();
        return new Interception.Changed(message.withProperties(new MessageProperties(
                1,
                before.messageExpirySeconds(),
                before.contentType(),
                before.responseTopic(),
                before.correlationData(),
                before.userProperties())));
    }

    private static boolean isText(byte[] payload) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(payload));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
