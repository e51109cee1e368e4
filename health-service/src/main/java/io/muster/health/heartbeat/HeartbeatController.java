package io.muster.health.heartbeat;

import io.muster.contract.node.Heartbeat;
import io.muster.contract.node.HeartbeatAnswer;
import io.muster.edge.identity.NodeCaller;
import io.swagger.v3.oas.annotations.Hidden;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Hidden
class HeartbeatController {

    private final HeartbeatIntake intake;

    HeartbeatController(HeartbeatIntake intake) {
        this.intake = intake;
    }

    @PostMapping("/internal/agents/{node}/heartbeat")
    HeartbeatAnswer heartbeat(NodeCaller caller, @RequestBody Heartbeat beat) {
        return intake.take(caller.node(), beat);
    }
}
