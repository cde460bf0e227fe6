package io.godwit.perf.jmh;

import io.godwit.dist.client.LiveReceiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.client.SubscriptionOptions;
import io.godwit.dist.index.TenantIndex;
import io.godwit.dist.index.TopicIndex;
import io.godwit.dist.index.share.SharedStrategies;
import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.message.Qos;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/**
 * An index with a given number of devices' filters: of ten, seven are without wildcard, two have a plus, and one has a
 * hash. All are below the same first levels, so that each look-up meets wildcards whether they match or not. Each has a
 * receiver of its own. A few more filters have many receivers or overlap.
 */
public final class MixedFilters {
    private static final SubscriptionOptions OPTIONS = new SubscriptionOptions(Qos.AT_LEAST_ONCE, false, false, 0);
    private static final int SITES = 100;
    private static final int LINES = 50;

    /** Ten filters that all match {@link #ANSWERED_BY_TEN}. */
    private static final List<String> TEN = List.of(
            "ten/x/y/z",
            "ten/+/y/z",
            "ten/x/+/z",
            "ten/x/y/+",
            "ten/+/+/z",
            "ten/+/+/+",
            "ten/#",
            "ten/x/#",
            "ten/x/y/#",
            "ten/+/y/#");

    static final String ANSWERED_BY_TEN = "ten/x/y/z";
    static final String ANSWERED_BY_A_THOUSAND = "thousand/x/y/z";

    private MixedFilters() {}

    /** A receiver that is only a name. */
    public record Named(ClientId clientId) implements LiveReceiver {
        Named(String name) {
            this(new ClientId(name));
        }
    }

    /** An index of {@code filters} filters of devices. */
    public static TenantIndex index(int filters) {
        TenantIndex index = new TopicIndex(new SharedStrategies(SharedPick.RANDOM)).tenant(TenantId.DEFAULT);
        for (int i = 0; i < filters; i++) {
            add(index, filter(i), "d" + i);
        }
        return index;
    }

    /** Adds the filters with overlaps and those with many receivers. */
    static void addCrowds(TenantIndex index) {
        for (String filter : TEN) {
            add(index, filter, "ten " + filter);
            for (int i = 0; i < 100; i++) {
                add(index, "thousand" + filter.substring(3), "thousand " + i + filter);
            }
        }
    }

    static String filter(int i) {
        return switch (i % 10) {
            case 7, 8 -> site(i) + "/+/d" + i + "/state";
            case 9 -> site(i) + "/l" + i % LINES + "/d" + i + "/log/#";
            default -> exactTopic(i);
        };
    }

    /** The topic that matches filter {@code i}, which must be without wildcard. */
    static String exactTopic(int i) {
        return site(i) + "/l" + i % LINES + "/d" + i + "/temperature";
    }

    /** A topic that matches only filter {@code i}, which must have a plus. */
    static String plusTopic(int i) {
        return site(i) + "/l" + i % LINES + "/d" + i + "/state";
    }

    private static String site(int i) {
        return "site" + i / LINES % SITES;
    }

    private static void add(TenantIndex index, String filter, String name) {
        index.add(TopicFilter.parse(filter).orElseThrow(), new Named(name), OPTIONS);
    }
}
