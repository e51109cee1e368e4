package io.muster.health.registry;

import io.muster.contract.node.JoinRequest;
import io.muster.contract.node.NodeFacts;
import io.muster.edge.identity.NodeCaller;
import io.muster.edge.problem.Problems;
import io.swagger.v3.oas.annotations.Hidden;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Hidden
class EntryController {

    private final Registrar registrar;

    EntryController(Registrar registrar) {
        this.registrar = registrar;
    }

    @PostMapping("/internal/join")
    ResponseEntity<?> join(@RequestBody JoinRequest request) {
        return answer(registrar.join(request));
    }

    @PostMapping("/internal/agents/{node}/register")
    ResponseEntity<?> register(NodeCaller caller, @RequestBody NodeFacts facts) {
        return answer(registrar.register(caller.node(), facts));
    }

    private static ResponseEntity<?> answer(Entry entry) {
        return switch (entry) {
            case Entry.Entered(var registration) -> ResponseEntity.ok(registration);
            case Entry.Refused(var problem) -> Problems.answer(problem);
        };
    }
}
