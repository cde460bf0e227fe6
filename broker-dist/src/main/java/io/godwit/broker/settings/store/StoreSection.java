package io.godwit.broker.settings.store;

import io.godwit.broker.config.key.Section;

/** {@code storeConfig}. */
public record StoreSection(
        @Section(text = "Routes of subscriptions.") KeySpaceSection dist,

        @Section(text = "Persistent sessions and their queues.")
        KeySpaceSection inbox,

        @Section(text = "Retained messages.") KeySpaceSection retain) {}
