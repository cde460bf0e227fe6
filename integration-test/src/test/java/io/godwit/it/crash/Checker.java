package io.godwit.it.crash;

import io.godwit.it.crash.SessionRules.Delivery;
import io.godwit.it.crash.Violation.Rule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges a history: which promises of the broker it shows to be broken. Knows nothing of how the load was made, nor of
 * the broker.
 *
 * <p>It errs on the broker's side only where a kill leaves the client in doubt: a message without acknowledgement may
 * be lost or delivered, a SUBSCRIBE without SUBACK may have taken effect or not.
 */
final class Checker {
    private Checker() {}

    static List<Violation> check(List<Event> events) {
        List<Violation> violations = new ArrayList<>();
        Publishes publishes = new Publishes(events);
        Subscriptions subscriptions = new Subscriptions(events);
        Map<String, SessionRules> sessions = new LinkedHashMap<>();
        RetainedRule retained = new RetainedRule(publishes, violations);
        SurvivorRule survivors = new SurvivorRule(violations);
        for (int position = 0; position < events.size(); position++) {
            Event event = events.get(position);
            sessions.computeIfAbsent(event.client(), client -> new SessionRules(client, publishes, violations))
                    .read(event, position);
            retained.read(event, position);
            survivors.read(event);
            if (event.kind() == Event.Kind.DAMAGED) {
                violations.add(new Violation(Rule.PHANTOM, event.client() + " was given " + event.text()));
            } else if (event.kind() == Event.Kind.ANSWERED) {
                violations.add(new Violation(
                        Rule.TWO_CONNECTIONS,
                        event.client() + " was accepted again, and its connection " + event.connection()
                                + " answered behind that"));
            }
        }
        Map<String, List<Delivery>> deliveries = new LinkedHashMap<>();
        sessions.forEach((client, session) -> {
            session.end();
            deliveries.put(client, session.deliveries());
        });
        new DeliveryRules(publishes, subscriptions, deliveries, violations).check();
        return violations;
    }

    /** The violations in short: how many of each rule, and the first few. */
    static String summary(List<Violation> violations) {
        Map<Rule, List<Violation>> byRule = new LinkedHashMap<>();
        violations.forEach(violation -> byRule.computeIfAbsent(violation.rule(), rule -> new ArrayList<>())
                .add(violation));
        StringBuilder text = new StringBuilder();
        byRule.forEach((rule, list) -> {
            text.append(rule).append(": ").append(list.size()).append('\n');
            list.stream()
                    .limit(10)
                    .forEach(each -> text.append("  ").append(each.text()).append('\n'));
        });
        return text.toString();
    }
}
