package io.godwit.broker.auth;

import io.godwit.broker.auth.filter.AclFilter;
import io.godwit.broker.auth.password.AuthFileException;
import io.godwit.plugin.auth.AuthDecision;
import io.godwit.plugin.client.ClientInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The access rules: the first rule that applies decides, and if none does, the answer is no. Immutable.
 *
 * <p>A rule applies to a publish when its filter matches the topic. To a subscription, an {@code allow} applies when
 * its filter covers every topic that the wanted filter matches, a {@code deny} when it matches any of them: a client
 * cannot evade a deny by asking for more than it names ({@code #}), nor by a name that cannot be part of a filter
 * ({@link AclFilter}).
 *
 * <p>Rules for a single user or client are found by name, so a large number of them does not slow down the others.
 */
final class Acl {
    private static final AclRule[] NO_RULES = {};
    private static final AuthDecision NO_RULE = new AuthDecision.Denied("no rule allows it");

    // each list in the order of the rules
    private final Map<String, AclRule[]> byUser;
    private final Map<String, AclRule[]> byClient;
    private final AclRule[] forAll;

    /** @param rules in the order in which they apply */
    Acl(List<AclRule> rules) {
        Map<String, List<AclRule>> users = new HashMap<>();
        Map<String, List<AclRule>> clients = new HashMap<>();
        List<AclRule> all = new ArrayList<>();
        for (AclRule rule : rules) {
            String user = rule.user();
            String clientId = rule.clientId();
            if (user != null) {
                users.computeIfAbsent(user, name -> new ArrayList<>()).add(rule);
            } else if (clientId != null) {
                clients.computeIfAbsent(clientId, id -> new ArrayList<>()).add(rule);
            } else {
                all.add(rule);
            }
        }
        byUser = arrays(users);
        byClient = arrays(clients);
        forAll = all.toArray(NO_RULES);
    }

    private static Map<String, AclRule[]> arrays(Map<String, List<AclRule>> lists) {
        Map<String, AclRule[]> arrays = new HashMap<>();
        lists.forEach((name, rules) -> arrays.put(name, rules.toArray(NO_RULES)));
        return arrays;
    }

    static List<AclRule> read(Path file) throws AuthFileException {
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AuthFileException(file, e);
        }
        return parse(file, lines);
    }

    /** @param file for messages */
    static List<AclRule> parse(Path file, List<String> lines) throws AuthFileException {
        List<String> errors = new ArrayList<>();
        List<AclRule> rules = AclRule.parseAll(lines, true, errors);
        if (!errors.isEmpty()) {
            throw new AuthFileException(file, errors);
        }
        return rules;
    }

    AuthDecision publish(ClientInfo client, String topic) {
        String[] levels = AclFilter.levelsOf(topic);
        return decide(client, rule -> rule.isForPublish() && applies(rule, levels, client));
    }

    /** @param filter without the share name */
    AuthDecision subscribe(ClientInfo client, String filter) {
        String[] levels = AclFilter.levelsOf(filter);
        return decide(client, rule -> rule.isForSubscribe() && applies(rule, levels, client));
    }

    private static boolean applies(AclRule rule, String[] asked, ClientInfo client) {
        return rule.isAllow()
                ? rule.filter().covers(asked, client)
                : rule.filter().overlaps(asked, client);
    }

    private AuthDecision decide(ClientInfo client, Condition applies) {
        String user = client.userName();
        AclRule first = first(user == null ? NO_RULES : byUser.getOrDefault(user, NO_RULES), applies, null);
        first = first(byClient.getOrDefault(client.clientId().value(), NO_RULES), applies, first);
        first = first(forAll, applies, first);
        if (first == null) {
            return NO_RULE;
        }
        return first.isAllow() ? AuthDecision.ALLOWED : new AuthDecision.Denied(first.describe());
    }

    /** The first of {@code rules} that applies, or {@code earlier} if it comes before that one. */
    private static @Nullable AclRule first(AclRule[] rules, Condition applies, @Nullable AclRule earlier) {
        for (AclRule rule : rules) {
            if (earlier != null && earlier.isBefore(rule)) {
                return earlier;
            }
            if (applies.test(rule)) {
                return rule;
            }
        }
        return earlier;
    }

    private interface Condition {
        boolean test(AclRule rule);
    }
}
