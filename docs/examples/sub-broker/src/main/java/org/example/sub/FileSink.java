package org.example.sub;

import io.godwit.plugin.context.Plugin;
import io.godwit.plugin.context.PluginContext;
import io.godwit.plugin.sub.SubBroker;
import io.godwit.plugin.sub.SubBrokerBatch;
import io.godwit.plugin.sub.SubBrokerFactory;
import io.godwit.plugin.sub.SubBrokerMessage;
import io.godwit.plugin.sub.SubBrokerSubscription;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Appends messages to a file, a line each: the topic, a tab, the payload in Base64. */
public final class FileSink implements SubBrokerFactory, Plugin {
    private Path file;
    private List<String> filters = List.of();

    @Override
    public String name() {
        return "file-sink";
    }

    @Override
    public void create(PluginContext context) {
        file = context.settings().file("file", "messages.txt");
        filters = context.settings().list("filters");
        try {
            new SubBrokerSubscription("messages", filters);
        } catch (IllegalArgumentException e) {
            context.settings().error("filters", e.getMessage());
        }
    }

    @Override
    public SubBroker create() throws IOException {
        return new Sink(
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                new SubBrokerSubscription("messages", filters));
    }

    private record Sink(FileChannel channel, SubBrokerSubscription subscription) implements SubBroker {
        @Override
        public List<SubBrokerSubscription> subscriptions() {
            return List.of(subscription);
        }

        /** Blocks, on a thread of the plugin: so the future is complete when it is returned. */
        @Override
        public CompletableFuture<Void> deliver(SubBrokerBatch batch) {
            StringBuilder lines = new StringBuilder();
            for (SubBrokerMessage each : batch.messages()) {
                lines.append(each.message().topic())
                        .append('\t')
                        .append(Base64.getEncoder().encodeToString(each.message().payload()))
                        .append('\n');
            }
            try {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(lines.toString());
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(false); // only then they are safe
                return CompletableFuture.completedFuture(null);
            } catch (IOException e) {
                return CompletableFuture.failedFuture(e); // they come again
            }
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e); // the log has it
            }
        }
    }
}
